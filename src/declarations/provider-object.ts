import * as z from "zod/mini";
import type { JsonObject } from "../model/provider-type";
import type { ObjectType } from "./object-type";
import { structureOf } from "./structure";
import { credentialsVersion, jsonObject } from "./rules";
import { hostBits } from "./warnings";

export function providerObject<Shape extends z.core.$ZodShape>(traits: {
  readonly spec: Shape;
  readonly defaults: (declared: z.infer<z.ZodMiniObject<Shape>>) => JsonObject;
  readonly body: (completed: z.infer<z.ZodMiniObject<Shape>>) => JsonObject;
  /** The field of the body that holds the name. @default "name" */
  readonly nameField?: "identityName";
}) {
  const spec = z.strictObject({ ...traits.spec, credentialsVersion, bodyOverrides: z.optional(jsonObject) }, "be an object");
  return {
    spec,
    structure: structureOf(spec),
    defaults: (declared) => traits.defaults(declared as z.infer<z.ZodMiniObject<Shape>>),
    body: (completed) => traits.body(completed as z.infer<z.ZodMiniObject<Shape>>),
    identity: [{ field: traits.nameField ?? "name", prop: "name" }],
    services: false,
    warnings: (declared) => hostBits(spec, declared),
  } satisfies ObjectType as ObjectType<typeof spec>;
}
