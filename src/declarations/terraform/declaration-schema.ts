import type { ObjectType } from "../object-type";
import { overrideProblems } from "../override-rules";
import { problemsOf, type Problem } from "../rules";
import { renderPath } from "../../model/prop-path";
import type { JsonObject } from "../../model/provider-type";
import type { Diagnostic } from "../../terraform/diagnostic";
import { renderAttributePath, type Attributes } from "../../terraform/attributes";
import { isWhollyKnown, Unknown, type ObjectValue, type Value } from "../../terraform/value";
import { formOfObject, type ObjectForm } from "./forms";

/**
 * How the objects of a kind and type are declared in Terraform's language, derived from the rules of their declarations.
 * Props have their names in snake case. What is not declared is null, also where there is a default: a release that
 * changes one replaces nothing. A value that is unknown in Terraform stands as {@link Unknown} in the declaration.
 */
export class DeclarationSchema {
  private readonly root: ObjectForm;

  constructor(private readonly type: ObjectType) {
    this.root = formOfObject(type.spec);
  }

  get attributes(): Attributes {
    return this.root.attributes;
  }

  /** The declaration that a configuration or a state has. Of a state, whose secrets have no values, it cannot be sent. */
  declarationOf(value: ObjectValue): JsonObject {
    return this.root.toDeclaration(value) as JsonObject;
  }

  /** Every attribute of a declaration. */
  valueOf(declaration: JsonObject): ObjectValue {
    return this.root.toTerraform(declaration) as ObjectValue;
  }

  /** What is wrong with a configuration, as far as it is known. */
  problems(config: ObjectValue): Diagnostic[] {
    const declared = this.declarationOf(config);
    const isOpen = (value: unknown) => value instanceof Unknown;
    const found = [...problemsOf(this.type.spec, declared), ...overrideProblems(this.type, declared, isOpen)].filter(
      ({ path }) => !isUndecided(declared, path),
    );
    return [...this.root.problems(config, []), ...found.map((problem) => this.diagnostic(problem, declared))];
  }

  /** Names and places are Terraform's: a list that is a map there has no indices. */
  private diagnostic({ path, message }: Problem, declared: JsonObject): Diagnostic {
    const place = this.root.pathOf(path, declared);
    const rest = message.replace(`'${renderPath(path)}'`, "").replace(/'(\w+)'/g, (quoted, prop: string) => {
      const [name] = this.root.pathOf([prop], declared);
      return name === undefined ? quoted : `'${String(name)}'`;
    });
    return { severity: "error", summary: `'${renderAttributePath(place)}'${rest}`, path: place };
  }
}

/** Whether a rule cannot be decided yet, because what is at the path, or above it, or below it, is unknown. */
function isUndecided(declared: unknown, path: readonly PropertyKey[]): boolean {
  if (declared instanceof Unknown) return true;
  const [key, ...rest] = path;
  if (key === undefined) return !isWhollyKnown((declared ?? null) as Value);
  return isUndecided((declared as Record<PropertyKey, unknown> | undefined | null)?.[key], rest);
}
