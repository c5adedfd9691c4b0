import type { JsonObject, TypeCode } from "../../model/provider-type";
import type { ProviderConfig } from "../objects";
import { capbd } from "./capbd";
import { capcd } from "./capcd";
import { capos } from "./capos";
import { capov } from "./capov";
import { capsmv2 } from "./capsmv2";
import { capvs } from "./capvs";
import { capyc } from "./capyc";
import { commonReplies, type Replies } from "./replies";
import type { SimulatedType } from "./simulated-type";

export const simulatedTypes: Readonly<Record<TypeCode, SimulatedType>> = { capvs, capov, capbd, capos, capsmv2, capyc, capcd };

export function repliesOf(type: TypeCode): Replies {
  return { ...commonReplies, ...simulatedTypes[type] };
}

export function providerConfig(name: string, body: JsonObject): ProviderConfig {
  return {
    name,
    kubeVers: [...new Set(kubeVersions(body))],
    allowEditCSI: body.allowEditCSI === true,
    IPAddressPoolName: typeof body.IPAddressPoolName === "string" ? body.IPAddressPoolName : "",
  };
}

/** The format of templates differs for capvs. Bare metal has no templates. */
function kubeVersions(body: JsonObject): string[] {
  const templates = (body.templates ?? []) as readonly { kubeVersion: string }[];
  const pairs = (body.template ?? []) as readonly { value: string }[];
  const versions = [...templates.map(({ kubeVersion }) => kubeVersion), ...pairs.map(({ value }) => value)];
  return versions.map((version) => (version.startsWith("v") ? version : `v${version}`));
}
