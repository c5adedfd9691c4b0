import { singular, type Kind, type TypeCode } from "../../model/provider-type";
import type { ObjectType, ProviderType } from "../object-type";
import { capbd } from "./capbd";
import { capcd } from "./capcd";
import { capos } from "./capos";
import { capov } from "./capov";
import { capsmv2 } from "./capsmv2";
import { capvs } from "./capvs";
import { capyc } from "./capyc";

export const providerTypes: Readonly<Record<TypeCode, ProviderType>> = { capvs, capov, capbd, capos, capsmv2, capyc, capcd };

export function objectTypeOf(type: TypeCode, kind: Kind): ObjectType {
  return providerTypes[type][singular(kind)];
}
