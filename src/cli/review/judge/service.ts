import { baseUrlOf } from "../../../model/base-url";

const urls = new Map<string, string | undefined>();

/** The base URL of a service. Undefined if the plan does not show it. */
export function serviceAt(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  if (!urls.has(url)) urls.set(url, URL.canParse(url) ? baseUrlOf(new URL(url)) : undefined);
  return urls.get(url);
}

export function mayBeOneService(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}
