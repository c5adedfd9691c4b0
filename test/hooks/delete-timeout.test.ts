import { type Fault, type Simulator, startSimulator } from "../../src/simulator";
import { goldens } from "../goldens";
import { block, environment, runHook, settings, TOKEN } from "../bad-input/hook";
import { clusterBody } from "../support/capvs";

/** A deletion that times out says how far it came, what was sent, and what the next apply does. */

const NOTHING_SENT = /Nothing was sent\. Terraform keeps it in its state; the next apply deletes it/;
const SENT =
  /is still on the service after \d+s \(timeouts\.deleteSeconds\), .*Terraform keeps it in its state; the next apply continues/;
const provider = goldens.capvs.provider.minimal;

interface Case {
  readonly when: string;
  readonly kind: "clusters" | "providers";
  readonly faults: readonly Fault[];
  readonly says: RegExp;
  /** Whether the service saw requests for the deletion. @default - none */
  readonly asked?: "some";
}

const cases: readonly Case[] = [
  { when: "the first look has no answer", kind: "clusters", faults: [{ kind: "hang", method: "GET" }], says: NOTHING_SENT },
  {
    when: "the first look fails again and again",
    kind: "clusters",
    faults: [{ kind: "status", status: 503, method: "GET" }],
    says: NOTHING_SENT,
  },
  {
    when: "whether clusters use a registration is not answered",
    kind: "providers",
    faults: [{ kind: "hang", method: "GET", path: "/api/v1/clusters" }],
    says: NOTHING_SENT,
  },
  {
    when: "the request has no answer",
    kind: "clusters",
    faults: [{ kind: "hang", method: "DELETE" }],
    says: SENT,
    asked: "some",
  },
  {
    when: "the service refuses again and again because it is busy",
    kind: "clusters",
    faults: [{ kind: "status", status: 409, method: "DELETE", body: { message: "busy" } }],
    says: /after \d+s \(timeouts\.deleteSeconds\), DELETE .*409: busy\. Terraform keeps it/,
    asked: "some",
  },
  {
    when: "it is refused once, and whether clusters use it is not answered any more",
    kind: "providers",
    faults: [
      { kind: "status", status: 409, method: "DELETE" },
      { kind: "hang", method: "GET", path: "/api/v1/clusters", skip: 1 },
    ],
    says: SENT,
    asked: "some",
  },
  {
    when: "the looks after it have no answer",
    kind: "clusters",
    faults: [{ kind: "hang", method: "GET", skip: 1 }],
    says: SENT,
    asked: "some",
  },
];

async function withService(
  kind: Case["kind"],
  act: (simulator: Simulator, env: NodeJS.ProcessEnv) => Promise<void>,
  requestSeconds = 2,
) {
  const simulator = await startSimulator({ token: TOKEN, provisionSeconds: 0, deleteSeconds: 0 });
  const name = kind === "clusters" ? "prod" : String(provider.declaration.name);
  if (kind === "clusters") simulator.add("clusters", "capvs", clusterBody(name));
  else simulator.add("providers", "capvs", provider.body);
  try {
    await act(simulator, {
      ...environment(simulator.url),
      CLUSTER_PLATFORM_HOOK_SETTINGS: settings(simulator.url, {
        deleteSeconds: 4,
        connection: { url: simulator.url, requestSeconds },
      }),
      CLUSTER_PLATFORM_HOOK_BLOCK: block(kind),
      CLUSTER_PLATFORM_HOOK_NAME: name,
    });
  } finally {
    await simulator.close();
  }
}

test.concurrent.each(cases)("when $when", ({ kind, faults, says, asked }) =>
  withService(kind, async (simulator, env) => {
    for (const fault of faults) simulator.inject(fault);
    const { status, stderr } = await runHook("delete", env);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(says) });
    expect(stderr).toContain("[DELETE_TIMEOUT]");
    expect(simulator.requests.some(({ method }) => method === "DELETE")).toBe(asked === "some");
  }),
);

test("a look that takes a little longer than the deletion's time still determines the outcome", () =>
  withService(
    "clusters",
    async (simulator, env) => {
      simulator.inject({ kind: "slow", seconds: 6, method: "GET", skip: 1 });
      expect(await runHook("delete", env)).toMatchObject({ status: 0, stdout: expect.stringContaining("cluster prod: deleted") });
    },
    10,
  ));
