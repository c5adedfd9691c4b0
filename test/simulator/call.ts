import { request } from "node:http";
import type { Simulator } from "../../src/simulator";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

/** Sends a request over a real socket, without the package's client. */
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

/** Sends the path unchanged. `fetch` would normalize it. */
export function callRaw(simulator: Simulator, method: string, path: string): Promise<number> {
  const { hostname, port } = new URL(simulator.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { authorization: `Bearer ${simulator.token}` } }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode!));
    });
    sent.on("error", reject).end();
  });
}

/** A clock that a test moves by hand. */
export class Clock {
  private time = Date.UTC(2026, 0, 1);
  readonly now = () => this.time;

  pass(seconds: number): void {
    this.time += seconds * 1000;
  }
}

export const seconds = (count: number) => new Promise<void>((resolve) => setTimeout(resolve, count * 1000));

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await seconds(0.005);
}
