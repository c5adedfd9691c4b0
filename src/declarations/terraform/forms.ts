import { mergeSecrets } from "../declaration";
import { jsonObject, labels, secret, textOrSecret } from "../rules";
import { definitionOf, type Schema } from "../schema-definition";
import { keyedLists } from "../structure";
import type { JsonObject } from "../../model/provider-type";
import { isSecretReference } from "../../model/secret-reference";
import type { Diagnostic } from "../../terraform/diagnostic";
import { renderAttributePath, type Attribute, type AttributePath, type Attributes } from "../../terraform/attributes";
import type { Type } from "../../terraform/type";
import { decimalText, Unknown, type Decimal, type ObjectValue, type Value } from "../../terraform/value";
import { fromJson, onlySecretValues, toJson, withoutSecretValues } from "./json";

/** Converts the values of one rule to and from Terraform. */
export interface Form {
  readonly attribute: { readonly type: Type } | { readonly nested: NonNullable<NestedAttribute["nested"]> };
  /** The value is neither null nor unknown. */
  toDeclaration(value: Value): unknown;
  toTerraform(declared: unknown): Value;
  /** The path in Terraform, below the attribute, of the value at `path` in `declared`. */
  pathOf?(path: readonly PropertyKey[], declared: unknown): AttributePath;
  /** Problems of a value that its declaration does not show. */
  problems?(value: Value, path: AttributePath): Diagnostic[];
}

type NestedAttribute = Extract<Attribute, { nested: unknown }>;

interface Field {
  readonly prop: string;
  readonly name: string;
  readonly attribute: Attribute;
  readonly form: Form;
}

export interface ObjectForm extends Required<Form> {
  readonly attributes: Attributes;
  readonly attribute: { readonly nested: { readonly nesting: "single"; readonly attributes: Attributes } };
}

export function formOfObject(schema: Schema): ObjectForm {
  return objectForm(definitionOf(schema).shape);
}

function formOf(schema: Schema, prop: string): Form {
  if (schema === secret) return PLACE;
  if (schema === textOrSecret) return TEXT_OR_PLACE;
  if (schema === labels) return LABELS;
  const { type, shape, element, options } = definitionOf(schema);
  switch (type) {
    case "string":
    case "enum":
      return TEXT;
    case "number":
      return NUMBER;
    case "boolean":
      return BOOLEAN;
    case "union":
      return options.every((option) => definitionOf(option).type === "object") ? choiceForm(options) : scalarForm(options);
    case "object":
      return objectForm(shape);
    case "array":
      return arrayForm(element, keyedLists.get(schema)?.key);
    default:
      throw new TypeError(`the rule of '${prop}', of type ${type}, has no form in Terraform: add one`);
  }
}

const TEXT: Form = {
  attribute: { type: "string" },
  toDeclaration: (value) => value,
  toTerraform: (declared) => declared as string,
};

const NUMBER: Form = {
  attribute: { type: "number" },
  toDeclaration: (value) => Number(decimalText(value as number | bigint | Decimal)),
  toTerraform: (declared) => declared as number,
};

const BOOLEAN: Form = {
  attribute: { type: "bool" },
  toDeclaration: (value) => value,
  toTerraform: (declared) => declared as boolean,
};

const LABELS: Form = {
  attribute: { type: ["map", "string"] },
  toDeclaration: (value) => value,
  toTerraform: (declared) => declared as ObjectValue,
  pathOf: ([key]) => (key === undefined ? [] : [{ key: String(key) }]),
};

/** Any JSON. Its fields are attributes, so that a plan shows which fields change. */
const JSON_VALUE: Form = {
  attribute: { type: "dynamic" },
  toDeclaration: (value) => toJson(value),
  toTerraform: fromJson,
};

/** Text in Terraform, which converts other scalars to text. */
function scalarForm(options: readonly Schema[]): Form {
  const hasBoolean = options.some((option) => definitionOf(option).type === "boolean");
  return {
    attribute: { type: "string" },
    toDeclaration: (value) => (hasBoolean && (value === "true" || value === "false") ? value === "true" : value),
    toTerraform: (declared) => String(declared),
  };
}

const optionalText = { type: "string", optional: true } as const;

/** The source of a secret. The value of a secret is in no state and no plan. */
const PLACE_ATTRIBUTES: Attributes = {
  env: { ...optionalText, description: "The name of an environment variable." },
  file: { ...optionalText, description: "The path of a file." },
  value_wo: {
    ...optionalText,
    sensitive: true,
    writeOnly: true,
    description: "The value itself. Terraform does not store it. Needs Terraform 1.11 or OpenTofu 1.11.",
  },
};

const PLACE = placeForm(PLACE_ATTRIBUTES);

const TEXT_OR_PLACE = placeForm({
  value: { ...optionalText, description: "The value itself. Terraform stores it in the state." },
  ...PLACE_ATTRIBUTES,
});

function placeForm(attributes: Attributes): Form {
  const names = Object.keys(attributes);
  return {
    attribute: { nested: { nesting: "single", attributes } },
    toDeclaration: (value) => {
      const { value: text = null, env = null, file = null, value_wo = null } = value as ObjectValue;
      if (text !== null) return text;
      return { $secret: env !== null ? { env } : file !== null ? { file } : { value: value_wo } };
    },
    toTerraform: (declared) => {
      const nothing = Object.fromEntries(names.map((name) => [name, null]));
      if (!isSecretReference(declared)) return { ...nothing, value: declared as string };
      const { $secret } = declared;
      return { ...nothing, ...("value" in $secret ? { value_wo: $secret.value } : $secret) };
    },
    problems: (value, path) => {
      const given = names.filter((name) => (value as ObjectValue)[name] !== null);
      if (given.length === 1) return [];
      const all = `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
      const got = given.length === 0 ? "none" : given.join(" and ");
      return [{ severity: "error", summary: `'${renderAttributePath(path)}' must have exactly one of ${all}, got ${got}`, path }];
    },
  };
}

/** A union of objects with one prop each. In Terraform it is one object with all props, and exactly one is declared. */
function choiceForm(options: readonly Schema[]): Form {
  const shape = Object.fromEntries(options.flatMap((option) => Object.entries(definitionOf(option).shape)));
  return objectForm(shape, { allOptional: true });
}

function objectForm(shape: Readonly<Record<string, Schema>>, { allOptional = false } = {}): ObjectForm {
  const fields = Object.entries(shape).flatMap(([prop, schema]) => fieldsOf(prop, schema, allOptional));
  const attributes = Object.fromEntries(fields.map(({ name, attribute }) => [name, attribute]));
  return {
    attributes,
    attribute: { nested: { nesting: "single", attributes } },
    toDeclaration: (value) => {
      const declaration: JsonObject = {};
      for (const { prop, name, form } of fields) {
        const own = (value as ObjectValue)[name] ?? null;
        if (own === null) continue;
        const declared = own instanceof Unknown ? own : form.toDeclaration(own);
        declaration[prop] = prop in declaration ? mergeSecrets(declaration[prop], declared) : declared;
      }
      return declaration;
    },
    toTerraform: (declared) =>
      Object.fromEntries(
        fields.map(({ prop, name, form, attribute }) => {
          const own = (declared as JsonObject)[prop];
          // If a prop has two attributes, the unknown value belongs to the attribute that Terraform stores.
          const isElsewhere = attribute.writeOnly && own instanceof Unknown;
          return [name, own === undefined || isElsewhere ? null : knownToTerraform(form, own)];
        }),
      ),
    pathOf: ([prop, ...rest], declared) => {
      const field = fields.find((candidate) => candidate.prop === prop);
      return field ? [field.name, ...(field.form.pathOf?.(rest, (declared as JsonObject)[field.prop]) ?? [])] : [];
    },
    problems: (value, path) =>
      fields.flatMap(({ name, form }) => {
        const own = (value as ObjectValue)[name] ?? null;
        return own === null || own instanceof Unknown ? [] : (form.problems?.(own, [...path, name]) ?? []);
      }),
  };
}

/** One attribute, or two for a prop with arbitrary JSON, which may hold secrets. */
function fieldsOf(prop: string, schema: Schema, allOptional: boolean): Field[] {
  const isOptional = definitionOf(schema).type === "optional";
  const rule = isOptional ? definitionOf(schema).innerType : schema;
  const presence = isOptional || allOptional ? { optional: true } : { required: true };
  const name = snakeCase(prop);
  if (rule !== jsonObject) {
    const form = formOf(rule, prop);
    return [{ prop, name, form, attribute: { ...presence, ...form.attribute } }];
  }
  const open: Form = { ...JSON_VALUE, toTerraform: (declared) => fromJson(withoutSecretValues(declared)) };
  const hidden: Form = { ...JSON_VALUE, toTerraform: (declared) => fromJson(onlySecretValues(declared) ?? null) };
  return [
    { prop, name, form: open, attribute: { ...presence, ...open.attribute } },
    {
      prop,
      name: `${name}_wo`,
      form: hidden,
      attribute: {
        ...presence,
        ...hidden.attribute,
        sensitive: true,
        writeOnly: true,
        description: `Merged over ${name}. An object with indices as keys is merged into a list. Terraform does not store it, so a change of it alone changes nothing. Needs Terraform 1.11 or OpenTofu 1.11.`,
      },
    },
  ];
}

/** @param key the field that identifies the elements, if there is one */
function arrayForm(element: Schema, key: string | undefined): Form {
  const { type, shape } = definitionOf(element);
  if (type !== "object") return setForm(formOf(element, "element"));
  if (key === undefined) return listForm(objectForm(shape));
  const { [key]: _, ...rest } = shape;
  const [[prop, only] = [], ...more] = Object.entries(rest);
  const value = only && more.length === 0 && definitionOf(only).type !== "optional" ? formOf(only, prop!) : undefined;
  return value && "type" in value.attribute ? pairsForm(key, prop!, value) : namedForm(key, objectForm(rest));
}

/** Scalars whose order does not matter. */
function setForm(element: Form): Form {
  return {
    attribute: { type: ["set", (element.attribute as { type: Type }).type] },
    toDeclaration: (value) => (value as readonly Value[]).map((item) => eachKnown(item, (known) => element.toDeclaration(known))),
    toTerraform: (declared) => (declared as readonly unknown[]).map((item) => knownToTerraform(element, item)),
  };
}

function listForm(element: ObjectForm): Form {
  return {
    attribute: { nested: { nesting: "list", attributes: element.attributes } },
    toDeclaration: (value) => (value as readonly Value[]).map((item) => eachKnown(item, (known) => element.toDeclaration(known))),
    toTerraform: (declared) => (declared as readonly unknown[]).map((item) => element.toTerraform(item)),
    pathOf: ([index, ...rest], declared) =>
      typeof index === "number" ? [index, ...element.pathOf(rest, (declared as readonly unknown[])[index])] : [],
    problems: (value, path) =>
      (value as readonly Value[]).flatMap((item, index) =>
        item === null || item instanceof Unknown ? [] : element.problems(item, [...path, index]),
      ),
  };
}

/** A list of named objects is a map by name in Terraform, because the order of the list does not matter. */
function namedForm(keyProp: string, element: ObjectForm): Form {
  return {
    attribute: { nested: { nesting: "map", attributes: element.attributes } },
    toDeclaration: (value) =>
      Object.entries(value as ObjectValue).map(([key, item]) =>
        item === null
          ? { [keyProp]: key }
          : eachKnown(item, (known) => ({ [keyProp]: key, ...(element.toDeclaration(known) as JsonObject) })),
      ),
    toTerraform: (declared) => byName(keyProp, declared, (item) => element.toTerraform(item)),
    pathOf: ([index, prop, ...rest], declared) => {
      if (typeof index !== "number") return [];
      const item = (declared as readonly JsonObject[])[index]!;
      const key = { key: String(item[keyProp]) };
      return prop === undefined || prop === keyProp ? [key] : [key, ...element.pathOf([prop, ...rest], item)];
    },
    problems: (value, path) =>
      Object.entries(value as ObjectValue).flatMap(([key, item]) => {
        const at = [...path, { key }];
        if (item === null) return [nullElement(at)];
        return item instanceof Unknown ? [] : element.problems(item, at);
      }),
  };
}

function nullElement(path: AttributePath): Diagnostic {
  const summary = `'${renderAttributePath(path)}' must be an object, got null; to leave it out, remove its key`;
  return { severity: "error", summary, path };
}

/** If each object has only one prop besides its name, the map has the values of that prop. */
function pairsForm(keyProp: string, prop: string, element: Form): Form {
  return {
    attribute: { type: ["map", (element.attribute as { type: Type }).type] },
    toDeclaration: (value) =>
      Object.entries(value as ObjectValue).map(([key, item]) => ({
        [keyProp]: key,
        [prop]: eachKnown(item, (known) => element.toDeclaration(known)),
      })),
    toTerraform: (declared) => byName(keyProp, declared, (item) => knownToTerraform(element, item[prop])),
    pathOf: ([index], declared) =>
      typeof index === "number" ? [{ key: String((declared as readonly JsonObject[])[index]![keyProp]) }] : [],
  };
}

/** The names are unique: see `keyedList`. */
function byName(keyProp: string, declared: unknown, convert: (item: JsonObject) => Value): ObjectValue {
  return Object.fromEntries((declared as readonly JsonObject[]).map((item) => [String(item[keyProp]), convert(item)]));
}

function knownToTerraform(form: Form, declared: unknown): Value {
  return declared instanceof Unknown ? declared : form.toTerraform(declared);
}

function eachKnown(value: Value, convert: (known: Value) => unknown): unknown {
  return value === null || value instanceof Unknown ? value : convert(value);
}

/** Terraform reserves the name `provider`. */
export function snakeCase(prop: string): string {
  return prop === "provider" ? "provider_name" : prop.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
