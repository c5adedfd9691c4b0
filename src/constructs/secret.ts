import { Token } from "cdktf";
import { ConfigurationError } from "../model/errors";
import { renderValue } from "../declarations/rules";
import type { SecretReference } from "../model/secret-reference";

const SECRET = Symbol.for("cdktf-cluster-platform.Secret");

/**
 * A credential, by reference: only the place it comes from is in code, plan and state. The hook that creates the
 * object resolves it at that moment and hides it in everything it prints. A changed value replaces nothing: the
 * service is told credentials when an object is created, never later (see `credentialsVersion`).
 */
export class Secret {
  /**
   * The value of an environment variable of the process that runs `terraform apply`.
   *
   * @param name Name of the variable, as in `VSPHERE_PASSWORD`
   */
  static fromEnv(name: string): Secret {
    if (typeof name !== "string" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        // What was given is not shown: it may be the value of the variable.
        `Secret.fromEnv: 'name' must be the name of an environment variable (letters, digits and '_'), as in Secret.fromEnv("VSPHERE_PASSWORD"), got ${Token.isUnresolved(name) ? "a token" : "something else"}`,
      );
    }
    return new Secret({ $secret: { env: name } });
  }

  /**
   * The content of a file on the machine that runs `terraform apply`. The line break at the end of a single line is left
   * out. A document of several lines, such as a private key, is sent as it is.
   *
   * A relative path starts from the project's folder, which is the working directory of the synth. It is synthesized
   * relative to the stack's folder, such as `cdktf.out/stacks/prod`. So a stack that was synthesized on another machine
   * finds the file if `cdktf.out` lies at the same place in the project there.
   *
   * @param path Absolute, beginning with `~/`, or relative to the project's folder
   */
  static fromFile(path: string): Secret {
    if (typeof path !== "string" || path === "" || path.includes("\0") || Token.isUnresolved(path)) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        `Secret.fromFile: 'path' must be a path that is known at synth and not empty, got ${Token.isUnresolved(path) ? "a token" : renderValue(path)}`,
      );
    }
    return new Secret({ $secret: { file: path } });
  }

  /**
   * A value that Terraform computes: a variable, a data source, another resource's attribute. It reaches the create
   * hook by its environment and is never a trigger. Terraform keeps such values in its own state where they come
   * from there; prefer {@link Secret.fromEnv} and {@link Secret.fromFile}, which touch no state at all.
   */
  static fromToken(value: string): Secret {
    if (!Token.isUnresolved(value)) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        "Secret.fromToken: 'value' must be a token, such as variable.stringValue; for a literal use Secret.fromEnv or Secret.fromFile",
      );
    }
    return new Secret({ $secret: { value } });
  }

  /**
   * A literal in the code. It ends up in the repository, in the synthesized JSON and in saved plans, readable by all
   * who can read those. For throw-away test installations only.
   */
  static unsafePlainText(value: string): Secret {
    if (typeof value !== "string" || value === "" || Token.isUnresolved(value)) {
      throw new ConfigurationError(
        "INVALID_SETTING",
        "Secret.unsafePlainText: 'value' must be text that is not empty; for a token use Secret.fromToken",
      );
    }
    return new Secret({ $secret: { value } });
  }

  /** Whether `value` is a Secret, also one of another copy of this package. */
  static isSecret(value: unknown): value is Secret {
    return typeof value === "object" && value !== null && SECRET in value;
  }

  private readonly [SECRET] = true;
  /** @internal */
  readonly _reference: SecretReference;

  private constructor(reference: SecretReference) {
    this._reference = reference;
  }

  /** Never the value. */
  toString(): string {
    return "[Secret]";
  }

  /** Never the value. */
  toJSON(): string {
    return "[Secret]";
  }
}
