import {
  Schema_Object_NestingMode as NestingMode,
  StringKind,
  type ResourceIdentitySchema,
  type Schema,
  type Schema_Attribute,
} from "../protocol/generated/tfplugin6.9";
import type { Attributes } from "../../terraform/attributes";
import type { Type } from "../../terraform/type";
import type { Resource } from "./provider";

export function encodeSchema({ attributes, description = "" }: Pick<Resource, "attributes" | "description">): Schema {
  return {
    block: { attributes: encodeAttributes(attributes), description, descriptionKind: StringKind.PLAIN },
  };
}

/** @param identity names of attributes */
export function encodeIdentitySchema(attributes: Attributes, identity: readonly string[]): ResourceIdentitySchema {
  return {
    identityAttributes: identity.map((name) => ({
      name,
      type: encodeType("string"),
      requiredForImport: true,
      description: attributes[name]!.description,
    })),
  };
}

function encodeAttributes(attributes: Attributes): Schema_Attribute[] {
  return Object.entries(attributes).map(([name, attribute]) => ({
    name,
    description: attribute.description,
    descriptionKind: StringKind.PLAIN,
    required: attribute.required,
    optional: attribute.optional,
    computed: attribute.computed,
    sensitive: attribute.sensitive,
    writeOnly: attribute.writeOnly,
    ...("type" in attribute
      ? { type: encodeType(attribute.type) }
      : {
          nestedType: {
            attributes: encodeAttributes(attribute.nested.attributes),
            nesting: NESTING[attribute.nested.nesting],
          },
        }),
  }));
}

const NESTING = {
  single: NestingMode.SINGLE,
  list: NestingMode.LIST,
  set: NestingMode.SET,
  map: NestingMode.MAP,
} as const;

export function encodeType(type: Type): Uint8Array {
  return Buffer.from(JSON.stringify(type));
}
