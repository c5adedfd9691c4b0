import { ConfigurationError } from "../../model/errors";
import { Redactor } from "../../model/redaction";

/** Hides values that whoever runs the command names, wherever in a document they turn up. */
export class Mask {
  readonly #redactor = new Redactor();
  /** Too short to be looked for inside of other text, where they would be found in every word. */
  readonly #whole = new Set<string>();

  /**
   * @param sources as `env:NAME`
   * @throws INVALID_SETTING
   */
  constructor(sources: readonly string[], env: NodeJS.ProcessEnv) {
    for (const source of sources) {
      const name = /^env:([A-Za-z_][A-Za-z0-9_]*)$/.exec(source)?.[1];
      if (name === undefined) {
        throw new ConfigurationError(
          "INVALID_SETTING",
          `command line: '--mask' must be env:NAME, so that the value itself stands in no command line, got ${JSON.stringify(source)}`,
        );
      }
      const value = env[name];
      if (!value) {
        throw new ConfigurationError(
          "INVALID_SETTING",
          `environment: '${name}', which --mask names, must hold the value to be hidden, got ${value === undefined ? "nothing" : "an empty one"}`,
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
