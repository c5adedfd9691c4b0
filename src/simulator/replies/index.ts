import type { JsonObject, TypeCode } from "../../model/provider-type";
import type { ProviderConfig } from "../objects";
import { capcd } from "./capcd";
import { capov } from "./capov";
import { capsmv2 } from "./capsmv2";
import { capvs } from "./capvs";
import { capyc } from "./capyc";
import { commonReplies, type Replies } from "./replies";

/** What sets a type's replies apart; a type that is not here answers like most. */
const particular: Partial<Record<TypeCode, Partial<Replies>>> = { capvs, capov, capsmv2, capyc, capcd };

export function repliesOf(type: TypeCode): Replies {
  return { ...commonReplies, ...particular[type] };
}

/** What the list of providers shows of a registration. */
export function providerConfig(name: string, body: JsonObject): ProviderConfig {
  return {
    name,
    kubeVers: [...new Set(kubeVersions(body))],
    allowEditCSI: body.allowEditCSI === true,
    IPAddressPoolName: typeof body.IPAddressPoolName === "string" ? body.IPAddressPoolName : "",
  };
}

/** capvs has templates of its own shape; bare metal has none. */
function kubeVersions(body: JsonObject): string[] {
  const templates = (body.templates ?? []) as readonly { kubeVersion: string }[];
  const pairs = (body.template ?? []) as readonly { value: string }[];
  const versions = [...templates.map(({ kubeVersion }) => kubeVersion), ...pairs.map(({ value }) => value)];
  return versions.map((version) => (version.startsWith("v") ? version : `v${version}`));
}
