import { request } from "node:http";
import type { Simulator } from "../../src/simulator";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed where the body is JSON. */
  readonly json: unknown;
}

/** One request as a stranger would send it: over a real socket, with the interface's own paths. */
export async function call(
  simulator: Pick<Simulator, "url" | "token">,
  method: string,
  path: string,
  body?: unknown,
  token: string | undefined = simulator.token,
): Promise<Answer> {
  const response = await fetch(simulator.url + path, {
    method,
    headers: token === "" ? {} : { authorization: `Bearer ${token}` },
    body: body === undefined || typeof body === "string" ? (body as string | undefined) : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The path exactly as given, which `fetch` would tidy up. */
export function callRaw(simulator: Simulator, method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(simulator.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { authorization: `Bearer ${simulator.token}` } }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode!));
    });
    sent.on("error", reject).end();
  });
}

/** A clock that stands still until a test moves it. */
export class Clock {
  private time = Date.UTC(2026, 0, 1);
  readonly now = () => this.time;

  pass(seconds: number): void {
    this.time += seconds * 1000;
  }
}

export const seconds = (count: number) => new Promise<void>((resolve) => setTimeout(resolve, count * 1000));

/** Waits, however long it takes. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await seconds(0.005);
}
