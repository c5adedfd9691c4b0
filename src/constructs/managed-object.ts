import { TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { flatten, requestBody } from "../api/declaration";
import { InvalidPropError } from "../api/errors";
import type { JsonObject, Kind, ObjectType, TypeCode } from "../api/provider-type";
import { renderPath } from "../api/prop-path";
import { findings } from "../api/rules";
import { providerTypes } from "../api/types";
import type { DeclaredObject } from "./declared-object";
import { Platform } from "./platform";
import { holdsToken, isAboutToken, isToken, pastedNumberTokens, toSpec, toText } from "./tokens";

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
   * Lists are replaced; a {@link Secret} may stand for any string. Changing it replaces the object.
   *
   * @default - the body as this package makes it
   */
  readonly bodyOverrides?: { [field: string]: unknown };
}

/** Props whose structure becomes keys of triggers. */
const STRUCTURED = ["controlPlane", "workers", "templates", "hosts"];

/**
 * A provider or cluster that the service has because the code says so. It is not a Terraform resource of its own
 * but one instance in a block of its {@link Platform}, keyed by its name.
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
  ) {
    super(scope, id);
    this.providerType = type;
    this.platform = props.platform ?? Platform.of(this);
    if (TerraformStack.of(this) !== TerraformStack.of(this.platform)) {
      this.refuse(`'platform' must be in the same stack, got one of '${TerraformStack.of(this.platform).node.id}'`);
    }

    const spec = toSpec(declared) as JsonObject & { name: string };
    const objectType = providerTypes[type][kind === "providers" ? "provider" : "cluster"];
    this.check(objectType, spec, props.adopt);
    this._declared = {
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
    this.platform._objects.push(this._declared);
  }

  private check(objectType: ObjectType, spec: JsonObject & { name: string }, adopt: unknown): void {
    if (isToken(spec.name)) {
      this.refuse("'name' must be known at synth, because it is the key of the object in Terraform's state, got a token");
    }
    for (const prop of STRUCTURED.filter((prop) => isToken(spec[prop]))) {
      this.refuse(
        `'${prop}' must be written out, so that a plan can show what changes in it, got a token; its fields may be tokens`,
      );
    }
    for (const path of pastedNumberTokens(spec)) {
      this.refuse(
        `'${renderPath(path)}' must not paste a number token into text, which renders a placeholder such as -1.8e+308; use Token.asString(number) or Fn.format`,
      );
    }
    if (adopt !== undefined && typeof adopt !== "boolean") this.refuse("'adopt' must be true or false");
    const problems = findings(objectType.spec, spec).filter((finding) => !isAboutToken(finding, spec));
    if (problems.length > 0) this.refuse(problems.map(({ message }) => message).join("; "));
  }

  /** @throws INVALID_PROP */
  protected refuse(message: string): never {
    throw new InvalidPropError(this.node.path, message);
  }
}
