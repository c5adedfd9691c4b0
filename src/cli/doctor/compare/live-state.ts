import { idOf } from "../../../model/object-ref";
import { enumerated } from "../../../lifecycle/wording";
import { findDrift } from "../../drift/find-drift";
import { describeDrift } from "../../drift/wording";
import { written } from "../../report/phrase";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { ComparedPlatform } from "./compared-platform";

/** Objects of the state that are missing on the service, or that differ there. */
export function* liveState({ platform, service, had }: ComparedPlatform): Generator<CheckResult> {
  // A tainted object may never have been created.
  const finished = had.filter(({ id, tainted }) => id.byProvider || !tainted);
  const { findings } = findDrift(finished, service, []);
  const missing = findings.filter(({ drift }) => drift === "MISSING");
  if (finished.length > 0 && missing.length === finished.length) {
    const ids = enumerated(finished.map(({ id }) => id.id));
    const none =
      finished.length === 1
        ? `${ids}, all that the state has, is not`
        : `none of the ${finished.length} objects that the state has (${ids}) is`;
    yield wrong("state", `${none} on the service at ${service.url}: is it the right one? [OBJECT_MISSING]`);
    return;
  }
  const staying = new Set(platform.declared.map(idOf));
  for (const { object, repairs } of missing.filter(({ object }) => staying.has(object))) {
    yield wrong(
      "state",
      `${object}, which the state has, is not on the service. To create it anew: ${repairs[0]!.commands.join(", then ")} [OBJECT_MISSING]`,
    );
  }
  for (const finding of findings.filter(({ drift }) => drift === "CHANGED")) {
    const how = written(describeDrift(finding), String);
    yield doubtful(
      "state",
      `${finding.object} is on the service otherwise than the state has it (${how}): 'cluster-platform drift' says what to do`,
    );
  }
}
