import { ConfigurationError } from "../../model/errors";
import { Redactor } from "../../util/redaction";

export class Mask {
  readonly #redactor = new Redactor();
  /** Values that are too short to be searched for inside other text, because they occur in ordinary words. */
  readonly #whole = new Set<string>();

  /**
   * @param sources in the form `env:NAME`
   * @throws INVALID_SETTING
   */
  constructor(sources: readonly string[], env: NodeJS.ProcessEnv) {
    for (const source of sources) {
      const name = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(source)?.[1];
      if (name === undefined) {
        throw new ConfigurationError(
          "INVALID_SETTING",
          `command line: '--mask' must be env:NAME, so that the value itself is on no command line, got ${JSON.stringify(source)}`,
        );
      }
      const value = env[name];
      if (!value) {
        throw new ConfigurationError(
          "INVALID_SETTING",
          `environment: '${name}', which --mask names, must hold the value to hide, got ${value === undefined ? "nothing" : "an empty one"}`,
        );
      }
      this.#redactor.add(value);
      this.#whole.add(value);
    }
  }

  apply(text: string): string {
    return this.#whole.has(text) ? "[hidden]" : this.#redactor.redact(text);
  }
}
