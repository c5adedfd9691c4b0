import type { PlatformProps } from "../../src/constructs/platform-props";
import { cluster, provider } from "../support/capvs";
import { testInRest } from "./test-on-backends";
import { inOneLine, type StackFixture } from "./stack-fixture";
import type { Workspace } from "./workspace";

/** A test with two stacks that declare the same objects. */
const testWithTwo = (title: string, act: (first: StackFixture, second: Workspace) => Promise<void>) =>
  testInRest(title, async (first) => {
    const second = first.anotherWorkspace();
    declare(first, second);
    await act(first, second);
  });

/** Declares the same objects in another stack with its own state and folder. */
function declare(fixture: StackFixture, other: Workspace, props: PlatformProps = {}): void {
  other.synth((stack) => {
    fixture.platform(stack, props);
    cluster(stack, "prod", provider(stack));
  });
}

testWithTwo(
  "a second stack with the same name is refused, and its destruction does not touch the first",
  async (first, second) => {
    first.declare(["prod"]);
    await first.applied();
    expect(inOneLine((await second.apply()).output)).toContain("the service already has capvs provider vsphere");
    const named = await second.destroy();
    expect(named.status).toBe(1);
    expect(inOneLine(named.output)).toContain("still on the service: capvs/clusters/prod, capvs/providers/vsphere");
    declare(first, second, { retain: ["prod", "vsphere"] });
    expect(await second.destroy()).toMatchObject({ status: 0 });

    expect(first.live()).toEqual(["prod", "vsphere"]);
    expect(first.writes().filter((write) => write.startsWith("DELETE"))).toEqual([]);
    expect(await first.workspace.plan()).toEqual([]);
  },
);

/** Holds both lookups until both stacks have looked. This is the hardest order for them. */
function lookTogether(fixture: StackFixture): void {
  const waiting: (() => void)[] = [];
  fixture.simulator.onRequest = async ({ method }) => {
    if (method !== "POST" || waiting.length >= 2) return;
    await new Promise<void>((go) => {
      waiting.push(go);
      if (waiting.length === 2) waiting.forEach((wake) => wake());
    });
  };
}

testWithTwo("one of two simultaneous applies gets the name; the other is refused and does no harm", async (first, second) => {
  first.declare(["prod"]);
  lookTogether(first);
  first.contested.add("vsphere");
  const outcomes = await Promise.all([first.workspace.apply(), second.apply()]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual([0, 1]);
  const [winner, loser] = outcomes[0]!.status === 0 ? [first.workspace, second] : [second, first.workspace];
  const refused = outcomes.find(({ status }) => status === 1)!;
  expect(inOneLine(refused.output)).toContain("the service already has capvs provider vsphere");
  expect(first.happened()).toEqual(["+vsphere", "+prod"]);

  await loser.destroy();
  expect(first.live()).toEqual(["prod", "vsphere"]);
  expect(await winner.plan()).toEqual([]);
});
