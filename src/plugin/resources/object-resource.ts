import { stringsIn, toJson } from "../../declarations/terraform/json";
import { singular } from "../../model/provider-type";
import { secretsIn } from "../../model/secret-reference";
import { writeOnlyIn } from "../../terraform/attributes";
import type { ObjectValue } from "../../terraform/value";
import type { Redactor } from "../../util/redaction";
import type { Resource } from "../server/provider";
import { reportingFailures } from "./failures";
import type { Ledger } from "./ledger";
import { applyCreation, applyDeletion, applyUpdate } from "./object-apply";
import { importObject } from "./object-import";
import { isOfConstruct, type ObjectKind } from "./object-kind";
import type { ObjectMemory } from "./object-memory";
import { planObject } from "./object-plan";
import { readObject } from "./object-read";
import type { Session } from "./session";

/** Answers Terraform about the objects of one type and kind. */
export function objectResource(kind: ObjectKind, ledger: Ledger, redactor: Redactor): Resource<Session> {
  /** Secret values occur in configurations only, never in states. */
  const learnSecrets = (config: ObjectValue | null) => {
    if (config === null) return;
    for (const { value } of writeOnlyIn(kind.attributes, config)) stringsIn(toJson(value)).forEach((text) => redactor.add(text));
    for (const { reference } of secretsIn(kind.declarationOf(config))) {
      if ("value" in reference.$secret && typeof reference.$secret.value === "string") redactor.add(reference.$secret.value);
    }
  };

  return {
    attributes: kind.attributes,
    identity: ["name"],
    description: `A ${singular(kind.kind)} of type ${kind.type} on the cluster and provider management service.`,

    validate: (config, call) => {
      learnSecrets(config);
      const object = kind.refOf(config);
      if (object) ledger.recordImportConfig(object, config);
      const place = isOfConstruct(config) ? `${String(config.declared_at)}: ` : "";
      for (const problem of kind.problems(config)) {
        call.report({ ...problem, summary: `[INVALID_PROP] ${place}${problem.summary}` });
      }
    },

    loaded: (state) => {
      const object = kind.refOf(state);
      if (object) ledger.recordLoaded(object, state);
    },

    read: ({ state: before, private: memory = {} }, call) =>
      reportingFailures(before, call, async () => {
        const result = await readObject(kind, before, memory, call);
        const object = kind.refOf(before)!;
        // The plan then creates the object, and does not replace it.
        if (result.state === null) ledger.deleted(object);
        else ledger.record(object, result.state);
        if ((memory as ObjectMemory).imported) ledger.recordImport(object);
        return result;
      }),

    plan: (request, call) =>
      reportingFailures(request.proposed ?? request.prior, call, () => {
        learnSecrets(request.config);
        return planObject({ kind, ledger, session: call.configured, report: call.report }, request);
      }),

    create: ({ planned, config }, call) =>
      reportingFailures(planned, call, async () => {
        ledger.isApplying = true;
        learnSecrets(config);
        return { state: await applyCreation(kind, planned, config!, ledger, call), private: {} };
      }),

    update: ({ prior, planned }, call) =>
      reportingFailures(prior, call, async () => {
        ledger.isApplying = true;
        await applyUpdate(kind, prior, planned, ledger, call);
        return { state: planned };
      }),

    delete: ({ prior, private: memory = {} }, call) =>
      reportingFailures(prior, call, async () => {
        ledger.isApplying = true;
        await applyDeletion(kind, prior, memory, ledger, call);
      }),

    import: ({ id, identity }, call) =>
      reportingFailures(null, call, () => importObject(kind, id ?? String(identity.name), call.configured)),
  };
}
