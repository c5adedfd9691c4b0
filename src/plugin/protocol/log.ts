/** From the least to the most important. */
const LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

/** More of one text than this is cut: go-plugin reads lines of at most 64 KiB. */
const LONGEST_TEXT = 8_000;

/**
 * The plugin's log: a line of JSON per entry on standard error, as hclog writes it. Terraform passes it on to its own log
 * at the same level, when TF_LOG_PROVIDER or TF_LOG asks for it.
 */
export class Log {
  readonly #least: number;

  constructor(
    private readonly module: string,
    env: NodeJS.ProcessEnv,
    /** Takes secrets out of a line. */
    private readonly redact: (text: string) => string,
    private readonly write: (line: string) => void = (line) => void process.stderr.write(line),
  ) {
    this.#least = leastLevel(env);
  }

  trace(message: string, fields?: LogFields): void {
    this.entry("trace", message, fields);
  }

  debug(message: string, fields?: LogFields): void {
    this.entry("debug", message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.entry("info", message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.entry("warn", message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.entry("error", message, fields);
  }

  /** Whether Terraform keeps entries of a level, so that it is worth making them. */
  keeps(level: LogLevel): boolean {
    return LEVELS.indexOf(level) >= this.#least;
  }

  private entry(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.keeps(level)) return;
    const shown = Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? this.shown(value) : value]);
    const entry = {
      "@level": level,
      "@message": this.shown(message),
      "@module": this.module,
      // Six digits after the second, or go-plugin does not read it.
      "@timestamp": new Date().toISOString().replace("Z", "000Z"),
      ...Object.fromEntries(shown),
    };
    this.write(`${JSON.stringify(entry)}\n`);
  }

  private shown(text: string): string {
    const redacted = this.redact(text);
    return redacted.length > LONGEST_TEXT ? `${redacted.slice(0, LONGEST_TEXT)}…` : redacted;
  }
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** What Terraform would throw away is not written. It takes a level that it does not know as the finest. */
function leastLevel(env: NodeJS.ProcessEnv): number {
  const wanted = (env.TF_LOG_PROVIDER || env.TF_LOG || "off").toLowerCase();
  if (wanted === "off") return LEVELS.indexOf("error");
  return Math.max(0, (LEVELS as readonly string[]).indexOf(wanted));
}
