import { segmentsOf } from "../../declarations/trigger-keys";
import { knownOf } from "../../declarations/terraform/declaration-schema";
import type { Creating } from "../../lifecycle/creation-facts";
import { isLeaving, type Live } from "../../lifecycle/live";
import { NAMED } from "../../lifecycle/remedy-words";
import { describeObject } from "../../lifecycle/wording";
import { idOf, parseObjectId, type ObjectRef } from "../../model/object-ref";
import type { TypeCode } from "../../model/provider-type";
import { Unknown, type ObjectValue } from "../../terraform/value";
import type { Call } from "../server/provider";
import { compareWithLive, fieldName } from "./comparison";
import type { Ledger } from "./ledger";
import type { ObjectKind } from "./object-kind";
import { seenUnderName } from "./seen-under-name";
import type { Session } from "./session";

/** Asks for the name of a planned object, with what the plan knows of it. */
export class PlannedName {
  constructor(
    private readonly kind: ObjectKind,
    private readonly ledger: Ledger,
    private readonly session: Session,
    private readonly call: Pick<Call<unknown>, "report">,
  ) {}

  /** Refuses a taken name at plan time. Otherwise the apply would fail, perhaps after it has deleted something else. */
  async refuseTaken(object: ObjectRef, proposed: ObjectValue): Promise<void> {
    const isAdopted = proposed.adopt === true || this.session.isAdopted(object);
    const found = await this.session.presence.find(object);
    const { facts, live } = await this.seen(object, proposed, found, { isAdopted, isImported: false });
    if (facts.live !== "leaving") return;
    this.call.report({
      severity: "warning",
      summary: `the service is deleting a ${live!.type} cluster with the name of ${describeObject(object)}`,
      detail: "The apply waits until it is gone, and then creates the object.",
    });
  }

  /** See {@link seenUnderName}. */
  seen(object: ObjectRef, proposed: ObjectValue, live: Live | undefined, how: Pick<Creating, "isAdopted" | "isImported">) {
    const fields = this.kind.fieldsOf(proposed);
    const open = Object.keys(fields).filter((key) => fields[key] instanceof Unknown);
    return seenUnderName(this.session, live, {
      ...how,
      object,
      declared: knownOf(fields),
      open: new Set(open.map((key) => String(segmentsOf(key)[0]))),
      compare: (found) => compareWithLive(this.kind, fields, found),
      // Names of clusters are unique across types.
      isOfState: ({ type, name }) => this.ledger.recorded({ ...object, type: type as TypeCode, name }) !== undefined,
      named: (field) => fieldName(this.kind, field, proposed),
      alsoTaken: () => this.alsoTaken(object),
    });
  }

  /**
   * The other declared objects whose names the service has, and that the state lacks, as far as the plan knows. Undefined if the plan
   * does not know what is declared, and if a command with all of them would be too long.
   */
  private async alsoTaken(object: ObjectRef): Promise<readonly ObjectRef[] | undefined> {
    const { settings, presence, context } = this.session;
    const others = settings.declared?.filter((id) => id !== idOf(object)).map((id) => parseObjectId(id)!);
    const taken: ObjectRef[] = [];
    for (const other of others ?? []) {
      if (this.ledger.recorded(other) || context.journal.creationOf(other)) continue;
      const live = await presence.find(other);
      if (live?.name === other.name && live.type === other.type && !isLeaving(live)) taken.push(other);
      if (taken.length > NAMED) return undefined;
    }
    return others && taken;
  }
}
