import { type Ground, grounds } from "../support/tools";
import { Stage, type StageOptions } from "./stage";

/** A test on each of some grounds, on a stage of its own; all of a file run side by side. */
export const playsOn =
  (some: readonly Ground[], options: StageOptions = {}) =>
  (title: string, act: (stage: Stage) => Promise<void>): void => {
    for (const ground of some) {
      test.concurrent(`${title}, on ${ground.title}`, () => Stage.play({ ...options, ground }, act), 300_000);
    }
  };

/** A test on every ground that this machine has. */
export const plays = playsOn(grounds);
