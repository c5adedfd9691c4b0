import { junit } from "../report/junit";
import { written } from "../report/phrase";
import { visible } from "../../model/printable";
import type { DriftReport } from "./finding";
import { describeDrift, repairPhrase } from "./wording";

/** One failed test case for each object with drift, and one case for all other objects. */
export function driftJunit({ findings, declared }: DriftReport): string {
  const drifted = findings.filter(({ state }) => state !== null).length;
  return junit("cluster-platform drift", [
    ...findings.map((finding) => {
      const { drift, state, type, kind, name, repairs } = finding;
      const text = repairs
        .map((repair) => [`${written(repairPhrase(repair, finding), visible)}`, ...repair.commands].join("\n"))
        .join("\n");
      const failure = { type: drift, message: written(describeDrift(finding), visible), text };
      return { classname: [state ?? "service", type, kind].join("."), name: `${visible(name)} ${drift}`, failure };
    }),
    { classname: "cluster-platform.drift", name: `${declared - drifted} as declared` },
  ]);
}
