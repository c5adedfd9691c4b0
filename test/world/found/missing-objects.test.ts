import { RUN_ENV } from "../programs";
import { played, program } from "./scripted";

const env: NodeJS.ProcessEnv = RUN_ENV;
afterEach(() => delete env.CLUSTER_PLATFORM_ACCEPT_GONE);

test("the printed remedy for an object that a list lacks for a while does not delete it when it is listed again", async () => {
  const [two, three] = [program({ c1: 0, c2: 0 }), program({ c1: 0, c2: 0, c3: 0 })];
  const hidden = { view: { kind: "hide", name: "c2" }, seconds: 30 } as const;
  const named = "CLUSTER_PLATFORM_ACCEPT_GONE=capvs/clusters/c2";
  env.CLUSTER_PLATFORM_ACCEPT_GONE = "capvs/clusters/c2";
  const { violations, endings, runs, deleted } = await played(
    { program: two },
    { program: three, view: hidden },
    { program: three, replace: ["c2"], wait: 60 },
  );
  expect(runs[1]).toContain(`Create it again: ${named} terraform apply -replace='terraform_data.capvs_clusters["c2"]'`);
  expect(runs[2]).toContain("cluster c2 is on the service, although CLUSTER_PLATFORM_ACCEPT_GONE says that it is gone");
  expect(endings).toEqual(["succeeds", "FAILS", "FAILS", "succeeds"]);
  expect(deleted).toEqual([]);
  expect(violations).toEqual([]);
});
