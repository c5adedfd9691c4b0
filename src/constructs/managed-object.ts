import { Annotations, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { flatten, requestBody } from "../declarations/declaration";
import { ConfigurationError, InvalidPropError } from "../model/errors";
import type { JsonObject, Kind, TypeCode } from "../model/provider-type";
import type { ObjectType } from "../declarations/object-type";
import { overrideProblems } from "../declarations/override-rules";
import { renderPath } from "../model/prop-path";
import { type Problem, problemsOf, renderValue } from "../declarations/rules";
import { sizesOfAnotherType } from "../declarations/sizes";
import { objectTypeOf } from "../declarations/types";
import { bareSecrets } from "./bare-secrets";
import type { DeclaredObject } from "./declared-object";
import type { LiveAttributes } from "./engine";
import { unsendable } from "./plain-values";
import { Platform } from "./platform";
import { holdsToken, isAboutToken, isToken, pastedNumberTokens, toSpec, toText, withoutTokens } from "./tokens";

/** Props of everything that the service manages, whatever its kind and type. */
export interface ManagedObjectProps {
  /**
   * The Platform to declare it on.
   *
   * @default - `Platform.of(this)`
   */
  readonly platform?: Platform;
  /**
   * Takes over an object of this name that lives on the service already, instead of failing because the name is
   * taken. Every field that the service's lists show must match, or the apply refuses and names the differences.
   * Without a live object it is created as usual. Remove it after the apply; that changes nothing.
   *
   * @default false
   */
  readonly adopt?: boolean;
  /**
   * Merged deeply over the request body, last: for fields that the service has and its interface does not show.
   * Lists are replaced; a {@link Secret} may stand for any string. Values may be tokens. A token under a key that names a
   * credential, such as `password`, `token` or `key`, is refused at construction, because Terraform would keep its value in
   * plans and in its state: use `Secret.fromToken`. Literals under such a key are part of code, plan and state, too. Changing
   * it replaces the object.
   *
   * @default - the body as this package makes it
   */
  readonly bodyOverrides?: { [field: string]: unknown };
}

/**
 * A provider or cluster that the service has because the code says so. Its address in Terraform comes from its name and
 * its {@link Platform}, not from the construct.
 */
export abstract class ManagedObject extends Construct {
  /** Its code, as in request paths. */
  readonly providerType: TypeCode;
  /** The Platform that carries it. */
  readonly platform: Platform;
  /** @internal */
  readonly _declared: DeclaredObject;

  protected constructor(
    scope: Construct,
    id: string,
    type: TypeCode,
    kind: Kind,
    props: ManagedObjectProps,
    /** The declaration without what only constructs know. */
    declared: object,
    more: Pick<DeclaredObject, "provider" | "waitForReady" | "offeredVersions"> = {},
    /** A problem that is reported alone, because most others would follow from it. */
    firstProblem?: string,
  ) {
    super(scope, id);
    this.providerType = type;
    this.platform = props.platform ?? Platform.of(this);
    if (!(this.platform instanceof Platform)) this.refuse(`'platform' must be a Platform, got ${renderValue(this.platform)}`);
    if (TerraformStack.of(this) !== TerraformStack.of(this.platform)) {
      this.refuse(`'platform' must be in the same stack, got one of '${TerraformStack.of(this.platform).node.id}'`);
    }

    if (firstProblem !== undefined) this.refuse(firstProblem);
    const foreign = unsendable(declared);
    if (foreign.length > 0) this.refuse(foreign.join("; "));
    const spec = toSpec(declared, this) as JsonObject & { name: string };
    const objectType = objectTypeOf(type, kind);
    this.check(objectType, spec, props.adopt);
    const declaration = {
      type,
      kind,
      name: spec.name,
      path: this.node.path,
      spec,
      body: holdsToken(spec) ? undefined : requestBody(objectType, spec),
      triggers: flatten(objectType, toText(spec) as JsonObject, isToken),
      adopt: props.adopt,
      ...more,
    };
    for (const warning of objectType.warnings(withoutTokens(spec) as JsonObject)) Annotations.of(this).addWarning(warning);
    this._declared = declaration;
    this.platform._declare(declaration, this);
  }

  private check(objectType: ObjectType, spec: JsonObject & { name: string }, adopt: unknown): void {
    if (isToken(spec.name)) {
      this.refuse("'name' must be known at synth, because it is the key of the object in Terraform's state, got a token");
    }
    for (const { prop } of objectType.structure.filter(({ prop }) => isToken(spec[prop]))) {
      this.refuse(
        `'${prop}' must be written out, so that a plan can show what changes in it, got a token; its fields may be tokens`,
      );
    }
    for (const path of pastedNumberTokens(spec)) {
      this.refuse(
        `'${renderPath(path)}' must not paste a number token into text, which renders a placeholder such as -1.8e+308; use Token.asString(number) or Fn.format`,
      );
    }
    if (adopt !== undefined && typeof adopt !== "boolean")
      this.refuse(`'adopt' must be true or false, got ${renderValue(adopt)}`);
    const known = (problem: Problem) => !isAboutToken(problem, spec);
    const broken = problemsOf(objectType.spec, spec).filter(known);
    const otherSizes = sizesOfAnotherType(this.providerType, spec, broken, known);
    if (otherSizes !== undefined) this.refuse(otherSizes);
    const problems = [
      ...[...broken, ...overrideProblems(objectType, spec, isToken)].map(({ message }) => message),
      ...bareSecrets(objectType.spec, spec),
    ];
    if (problems.length > 0) this.refuse(problems.join("; "));
  }

  /** @internal @throws INVALID_SETTING for an engine that cannot tell `attribute` */
  protected _live(attribute: keyof LiveAttributes): LiveAttributes {
    const { live } = this.platform._resources;
    if (live) return live;
    throw new ConfigurationError(
      "INVALID_SETTING",
      `${this.node.path}: '${attribute}' is known only with engine: Engine.PROVIDER on the Platform ${this.platform.node.path}; ` +
        "hooks cannot hand anything to Terraform",
    );
  }

  /** @throws INVALID_PROP */
  protected refuse(message: string): never {
    throw new InvalidPropError(this.node.path, message);
  }
}
