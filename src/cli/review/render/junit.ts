import { groupedBy } from "../../report/grouped-by";
import { junit, type JunitCase } from "../../report/junit";
import { written } from "../../report/phrase";
import { visible } from "../../../model/printable";
import { keyOf } from "../judge/finding";
import type { Denial, Gate } from "../judge/gate";
import type { Review } from "../judge/review";
import { denialPhrase, describeVerdict, reasons } from "./wording";

/** One test case for each provider and cluster, and a failing one for each denial of a whole plan. */
export function reviewJunit({ findings }: Review, { denials }: Gate): string {
  const aboutObjects = groupedBy(
    denials.filter((denial) => "object" in denial),
    keyOf,
  );
  const aboutPlans = denials.filter((denial) => !("object" in denial));
  return junit("cluster-platform review", [
    ...findings.map((finding): JunitCase => {
      const { stack, type, kind, name, verdict, address } = finding;
      const denied = aboutObjects.get(keyOf(finding)) ?? [];
      const text = `${describeVerdict(finding)}; ${written(reasons(finding), visible)}; ${address}`;
      const failure = { type: verdict, message: denied.map(toText).join("; "), text };
      return {
        classname: `${stack}.${type}.${kind}`,
        name: `${visible(name)} ${verdict}`,
        ...(denied.length > 0 && { failure }),
      };
    }),
    ...aboutPlans.map((denial): JunitCase => {
      const name = denial.code === "NOTE" ? denial.note.code : denial.code;
      return { classname: "policy", name, failure: { type: name, message: toText(denial), text: toText(denial) } };
    }),
  ]);
}

function toText(denial: Denial): string {
  return written(denialPhrase(denial, true), visible);
}
