import { Engine, Platform } from "cdktf-cluster-platform";
import { measured } from "../processes";
import type { Row } from "../row";
import type { Sizes } from "../sizes";
import { Stack } from "../stack";

export const coldStart = ({ coldStart: { rounds } }: Sizes): Row => ({
  name: "cold start of a hook that has nothing to do, over node -e 0",
  goal: 1.8,
  async measure(bench) {
    const stack = await (await Stack.declared(platformWithoutObjects)).init();
    try {
      const hook = await stack.hook("wait");
      const bare = { command: process.execPath, args: ["-e", "0"] };
      const [ours, node] = await measured(rounds, hook, bare);
      bench.peak("hook that has nothing to do", ours.peakMib);
      bench.peak("node -e 0", node.peakMib);
      return {
        ratio: ours.milliseconds / node.milliseconds,
        details: [`${ours.milliseconds.toFixed(1)} ms over ${node.milliseconds.toFixed(1)} ms, medians of ${rounds}`],
      };
    } finally {
      stack.remove();
    }
  },
});

/** Without objects, Terraform waits for nothing. */
function platformWithoutObjects(stack: ConstructorParameters<typeof Platform>[0]): void {
  new Platform(stack, "platform", { engine: Engine.TERRAFORM_DATA });
}
