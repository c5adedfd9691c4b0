import { deletedInHandOver, type HandOver, refusedHandOver } from "../../lifecycle/hand-over";
import { isLeaving } from "../../lifecycle/live";
import type { ProviderSettings } from "../../contract/provider-settings";
import { idOf } from "../../model/object-ref";
import type { ObjectValue } from "../../terraform/value";
import { refuseAnotherService } from "./another-service";
import { changedFields, compareWithLive, fieldName, valueText } from "./comparison";
import type { Ledger } from "./ledger";
import type { ObjectKind } from "./object-kind";
import type { Session } from "./session";

/** Terraform forgets an object without a word to the provider, so the load of its state is the only occasion. */
export async function refuseHandOver(
  kind: ObjectKind,
  state: ObjectValue,
  handOver: NonNullable<ProviderSettings["handOver"]>,
  session: Session,
  ledger: Ledger,
): Promise<void> {
  const object = kind.refOf(state)!;
  if (session.isDestroy) throw deletedInHandOver(object);
  const isDeclared = handOver.has(idOf(object));
  if (isDeclared) refuseAnotherService(object, state, session);
  const [before, declared] = [kind.fieldsOf(state), handOver.get(idOf(object))];
  const facts: HandOver = {
    object,
    isDeclared,
    // An object that has moved from hooks has no service before its first update.
    isNamed: (state.service ?? null) !== null && ledger.isHandedOver(object),
    changes:
      declared === undefined
        ? "unknown"
        : changedFields(before, declared).map(
            (field) =>
              `${fieldName(kind, field, state)} changes from ${valueText(before[field])} to ${valueText(declared[field])}`,
          ),
  };
  refuse(facts);
  const live = await session.presence.read(object, session.presentUrl(state.service as string), state.uid as string);
  if (live === undefined || isLeaving(live)) return refuse({ ...facts, live: live ? "leaving" : "missing" });
  refuse({ ...facts, live: compareWithLive(kind, before, live).differences }, (field) => fieldName(kind, field, state));
}

function refuse(facts: HandOver, named?: (field: string) => string): void {
  const refusal = refusedHandOver(facts, named);
  if (refusal) throw refusal;
}
