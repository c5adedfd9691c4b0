import { KINDS, singular, TYPE_CODES } from "../../model/provider-type";
import type { Provider, Resource } from "../server/provider";
import { declarationSchema, objectAttributes, READY_ATTRIBUTES } from "./attributes";
import { PROVIDER_ATTRIBUTES, readSettings, settingsProblems, type Settings } from "./settings";

/** The provider `clusterplatform`. */
export function provider(): Provider<Settings> {
  return {
    attributes: PROVIDER_ATTRIBUTES,
    validate: (config, call) => settingsProblems(config).forEach((problem) => call.report(problem)),
    configure: (config) => readSettings(config),
    resources: Object.fromEntries([
      ...TYPE_CODES.flatMap((type) =>
        KINDS.map((kind) => {
          const attributes = objectAttributes(declarationSchema(type, kind), kind);
          return [`clusterplatform_${type}_${singular(kind)}`, recorded(attributes)] as const;
        }),
      ),
      ["clusterplatform_ready", recorded(READY_ATTRIBUTES)],
    ]),
  };
}

function recorded(attributes: Resource["attributes"]): Resource<Settings> {
  const refuse = () => {
    throw new Error("this build has the schemas of the provider only");
  };
  return { attributes, read: ({ state }) => ({ state }), create: refuse, update: refuse, delete: refuse };
}
