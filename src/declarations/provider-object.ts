import { z } from "zod";
import type { JsonObject } from "../model/provider-type";
import type { ObjectType } from "./object-type";
import { structureOf } from "./structure";
import { credentialsVersion, jsonObject } from "./rules";
import { hostBits } from "./warnings";

export function providerObject<Shape extends z.ZodRawShape>(traits: {
  readonly spec: Shape;
  readonly defaults: (declared: z.infer<z.ZodObject<Shape>>) => JsonObject;
  readonly body: (completed: z.infer<z.ZodObject<Shape>>) => JsonObject;
  /** The field of the body that holds the name. @default "name" */
  readonly nameField?: "identityName";
}) {
  const spec = z.strictObject({ ...traits.spec, credentialsVersion, bodyOverrides: jsonObject.optional() }, "be an object");
  return {
    spec,
    structure: structureOf(spec),
    defaults: (declared) => traits.defaults(declared as z.infer<z.ZodObject<Shape>>),
    body: (completed) => traits.body(completed as z.infer<z.ZodObject<Shape>>),
    identity: [{ field: traits.nameField ?? "name", prop: "name" }],
    services: false,
    warnings: (declared) => hostBits(spec, declared),
  } satisfies ObjectType as ObjectType<typeof spec>;
}
