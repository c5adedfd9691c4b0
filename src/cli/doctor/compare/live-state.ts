import { idOf } from "../../../model/object-ref";
import { enumerated } from "../../../lifecycle/wording";
import { findDrift } from "../../drift/find-drift";
import { describeDrift } from "../../drift/wording";
import { written } from "../../report/phrase";
import { doubtful, type CheckResult, wrong } from "../check-result";
import type { ComparedPlatform } from "./compared-platform";

export function* liveState({ platform, service, had }: ComparedPlatform): Generator<CheckResult> {
  // A tainted object may never have been created.
  const finished = had.filter(({ id, tainted }) => id.byProvider || !tainted);
  const { findings } = findDrift(finished, service, []);
  const missing = findings.filter(({ drift }) => drift === "MISSING");
  if (finished.length > 0 && missing.length === finished.length) {
    const ids = enumerated(finished.map(({ id }) => id.id));
    const none =
      finished.length === 1
        ? `${ids}, the only object of the state, is not`
        : `none of the ${finished.length} objects of the state (${ids}) is`;
    yield wrong("state", `${none} on the service at ${service.url}: is it the right one? [OBJECT_MISSING]`);
    return;
  }
  const staying = new Set(platform.declared.map(idOf));
  for (const { object, repairs } of missing.filter(({ object }) => staying.has(object))) {
    yield wrong(
      "state",
      `${object} is in the state but not on the service. To create it again: ${repairs[0]!.commands.join(", then ")} [OBJECT_MISSING]`,
    );
  }
  for (const finding of findings.filter(({ drift }) => drift === "CHANGED")) {
    const how = written(describeDrift(finding), String);
    yield doubtful(
      "state",
      `${finding.object} on the service differs from the state (${how}): 'cluster-platform drift' says what to do`,
    );
  }
}
