import { Token } from "cdktf";
import { renderValue } from "../declarations/rules";
import type { SecretReference } from "../model/secret-reference";

const SECRET = Symbol.for("cdktf-cluster-platform.Secret");

/**
 * A reference to a credential. Code, plan and state have only its source. The apply reads the value when it creates the object,
 * and hides it in all output. A changed value replaces nothing, because the service takes credentials only when an object is
 * created (see `credentialsVersion`).
 */
export class Secret {
  /**
   * The value of an environment variable of the process that runs `terraform apply`.
   * @param name Name of the variable, such as `VSPHERE_PASSWORD`
   */
  static fromEnv(name: string): Secret {
    if (typeof name !== "string" || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      // The argument is not shown, because it may be the secret itself.
      return Secret.refused(
        `Secret.fromEnv: 'name' must be the name of an environment variable (letters, digits and '_'), as in Secret.fromEnv("VSPHERE_PASSWORD"), got ${Token.isUnresolved(name) ? "a token" : "something else"}`,
      );
    }
    return new Secret({ $secret: { env: name } });
  }

  /**
   * The content of a file on the machine that runs `terraform apply`. The line break at the end of a single line is left out. A
   * document of several lines, such as a private key, is sent as it is.
   *
   * A relative path starts from the working directory of the synth, the project's folder. It is synthesized relative to the
   * stack's folder, such as `cdktf.out/stacks/prod`, so the file is found on another machine if `cdktf.out` is at the same place
   * in the project there.
   * @param path Absolute, beginning with `~/`, or relative to the project's folder
   */
  static fromFile(path: string): Secret {
    if (typeof path !== "string" || path === "" || path.includes("\0") || Token.isUnresolved(path)) {
      return Secret.refused(
        `Secret.fromFile: 'path' must be a path that is known at synth and not empty, got ${Token.isUnresolved(path) ? "a token" : renderValue(path)}`,
      );
    }
    return new Secret({ $secret: { file: path } });
  }

  /**
   * A value that Terraform computes: a variable, a data source, or an attribute of another resource. It is never a trigger.
   * Terraform keeps the values of resources and data sources in its state, so prefer {@link Secret.fromEnv} and {@link
   * Secret.fromFile}, whose values are in no state.
   */
  static fromToken(value: string): Secret {
    if (!Token.isUnresolved(value)) {
      return Secret.refused(
        "Secret.fromToken: 'value' must be a token, such as variable.stringValue; for a literal use Secret.fromEnv or Secret.fromFile",
      );
    }
    return new Secret({ $secret: { value } });
  }

  /**
   * A literal in the code, for test installations only. Everybody who can read the repository, the synthesized JSON or a saved
   * plan can read it.
   */
  static unsafePlainText(value: string): Secret {
    if (typeof value !== "string" || value === "" || Token.isUnresolved(value)) {
      return Secret.refused("Secret.unsafePlainText: 'value' must be text that is not empty; for a token use Secret.fromToken");
    }
    return new Secret({ $secret: { value } });
  }

  /** Whether `value` is a Secret. It may come from another copy of this package. */
  static isSecret(value: unknown): value is Secret {
    return typeof value === "object" && value !== null && SECRET in value;
  }

  /** The object that uses it makes the synth fail. */
  private static refused(problem: string): Secret {
    return new Secret({ $secret: { value: "" } }, problem);
  }

  private readonly [SECRET] = true;

  private constructor(
    /** @internal */
    readonly _reference: SecretReference,
    /** @internal Why it was made with a wrong argument. */
    readonly _problem?: string,
  ) {}

  /** Never the value. */
  toString(): string {
    return "[Secret]";
  }

  /** Never the value. */
  toJSON(): string {
    return "[Secret]";
  }
}
