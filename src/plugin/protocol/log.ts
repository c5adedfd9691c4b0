/** In ascending order of importance. */
const LEVELS = ["trace", "debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

/** Longer texts are cut, because go-plugin reads lines of at most 64 KiB. In characters. */
const LONGEST_TEXT = 8_000;

/** One line of JSON per entry, in the format of hclog. Terraform copies it to its own log if TF_LOG_PROVIDER or TF_LOG is set. */
export class Log {
  readonly #least: number;

  constructor(
    private readonly module: string,
    env: NodeJS.ProcessEnv,
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

  /** Callers can skip the work for entries that Terraform drops. */
  keeps(level: LogLevel): boolean {
    return LEVELS.indexOf(level) >= this.#least;
  }

  private entry(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.keeps(level)) return;
    const shown = Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? this.loggable(value) : value]);
    const entry = {
      "@level": level,
      "@message": this.loggable(message),
      "@module": this.module,
      // go-plugin reads timestamps with six decimals only.
      "@timestamp": new Date().toISOString().replace("Z", "000Z"),
      ...Object.fromEntries(shown),
    };
    this.write(`${JSON.stringify(entry)}\n`);
  }

  private loggable(text: string): string {
    const redacted = this.redact(text);
    return redacted.length > LONGEST_TEXT ? `${redacted.slice(0, LONGEST_TEXT)}…` : redacted;
  }
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** An unknown level counts as the finest one, as in Terraform. */
function leastLevel(env: NodeJS.ProcessEnv): number {
  const wanted = (env.TF_LOG_PROVIDER || env.TF_LOG || "off").toLowerCase();
  if (wanted === "off") return LEVELS.indexOf("error");
  return Math.max(0, (LEVELS as readonly string[]).indexOf(wanted));
}
