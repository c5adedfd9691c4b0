import type { ProviderType, TypeCode } from "../provider-type";
import { capvs } from "./capvs";

/** Every provider type by its code. */
export const providerTypes = { capvs } as unknown as Record<TypeCode, ProviderType>;
