import type { TypeCode } from "../../src/model/provider-type";
import { capbd } from "./capbd";
import { capcd } from "./capcd";
import { capos } from "./capos";
import { capov } from "./capov";
import { capsmv2 } from "./capsmv2";
import { capvs } from "./capvs";
import { capyc } from "./capyc";
import type { TypeGolden } from "./golden";

export const goldens: Readonly<Record<TypeCode, TypeGolden>> = { capvs, capov, capbd, capos, capsmv2, capyc, capcd };
