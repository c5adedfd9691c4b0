import { thisMachine } from "../../host/machine";
import { PLUGIN_READY_TYPE, pluginResourceType } from "../../contract/addresses";
import { visibleLines } from "../../util/printable";
import { KINDS, TYPE_CODES } from "../../model/provider-type";
import { Redactor } from "../../util/redaction";
import type { Provider } from "../server/provider";
import { dataSources } from "./data-sources";
import { reportingFailures } from "./failures";
import { settleStored } from "./suspects";
import { Ledger } from "./ledger";
import { ObjectKind } from "./object-kind";
import { objectResource } from "./object-resource";
import { readyResource } from "./ready-resource";
import { Session } from "./session";
import { PROVIDER_ATTRIBUTES, readProviderSettings, settingsProblems } from "../../contract/provider-settings";

const OBJECT_KINDS = TYPE_CODES.flatMap((type) => KINDS.map((kind) => new ObjectKind(type, kind)));

export function provider(env = process.env, machine = thisMachine): Provider<Session> {
  const redactor = new Redactor();
  redactor.add(env.CLUSTER_PLATFORM_TOKEN?.trim() ?? "");
  const ledger = new Ledger();
  let session: Session | undefined;
  return {
    attributes: PROVIDER_ATTRIBUTES,
    validate: (config, call) => settingsProblems(config).forEach((problem) => call.report(problem)),
    configure: (config, call) =>
      reportingFailures(
        null,
        call,
        async () => (session = await Session.open(readProviderSettings(config), env, machine(), redactor, call)),
      ),
    resources: Object.fromEntries([
      ...OBJECT_KINDS.map((kind) => [pluginResourceType(kind.type, kind.kind), objectResource(kind, ledger, redactor)] as const),
      [PLUGIN_READY_TYPE, readyResource(ledger)],
    ]),
    dataSources: dataSources(),
    redact: (text) => visibleLines(redactor.redact(text)),
    close: () => session && settleStored(session.context.journal, ledger),
  };
}
