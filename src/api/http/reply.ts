import { logBody } from "./log-body";
import { bounded, disclosable } from "../../util/printable";
import type { JsonObject } from "../../model/provider-type";
import type { Redactor } from "../../util/redaction";
import type { WireReply } from "./transport";

const MESSAGE_CHARACTERS = 500;
const TITLE_CHARACTERS = 100;

/** The problem is the end of a sentence about the reply. */
export function readJson({ text, status }: WireReply, redactor: Redactor): { json: unknown } | { problem: string } {
  try {
    // Some Windows servers send a byte order mark, which is not part of JSON.
    return { json: JSON.parse(text.replace(/^\ufeff/, "")) };
  } catch {
    // The message of the parser quotes the reply, which may echo a secret.
    if (text === "") return { problem: `(${status}) is empty, where JSON was expected` };
    const page = describePage(text, redactor);
    return {
      problem: page
        ? `(${status}) is ${page}, not JSON: a proxy or another server answered instead of the service; check the URL`
        : `(${status}) is not JSON, or not all of it arrived (${text.length} characters)`,
    };
  }
}

/** One bounded line without secrets. The interface does not show the form of error bodies, so the usual ones are tried. */
export function serviceMessage({ text }: WireReply, redactor: Redactor): string {
  return bounded(disclosable(explanation(text, redactor), redactor), MESSAGE_CHARACTERS);
}

function explanation(text: string, redactor: Redactor): string {
  const page = describePage(text, redactor);
  if (page) return `a proxy or another server answered instead of the service, with ${page}`;
  try {
    const json: unknown = JSON.parse(text);
    return wordsOf(json) || (json === null ? "" : logBody(json, redactor));
  } catch {
    // Truncated JSON may end in half a secret, which is not recognized.
    return /^\s*[{["]/.test(text) ? "its explanation is broken JSON" : text;
  }
}

/** A proxy or another server answered instead of the service. */
export function isPage({ text }: Pick<WireReply, "text">): boolean {
  return /^\s*</.test(text);
}

function describePage(text: string, redactor: Redactor): string | undefined {
  if (!isPage({ text })) return undefined;
  // Redacts the whole page first, because a secret may hold the `<` that ends the title.
  const title = disclosable(/<title[^>]*>([^<]*)/i.exec(redactor.redact(text))?.[1] ?? "", redactor);
  const kind = /^\s*<\?xml/i.test(text) ? "an XML document" : "an HTML page";
  return title ? `${kind} with the title ${JSON.stringify(bounded(title, TITLE_CHARACTERS))}` : kind;
}

/** The most specific first. */
const MESSAGE_KEYS = ["message", "msg", "error", "error_description", "detail", "description", "title", "reason"] as const;
const DETAIL_KEYS = ["errors", "details", "violations", "causes"] as const;
const FIELD_KEYS = ["field", "path", "name"] as const;
const DEEPEST = 5;

interface Particular {
  readonly field: string | undefined;
  readonly words: string;
}

function wordsOf(value: unknown, depth = 0): string {
  if (typeof value === "string") return value.trim();
  if (typeof value !== "object" || value === null || depth > DEEPEST) return "";
  if (Array.isArray(value)) return listed(particulars(value, depth));
  const object = value as JsonObject;
  const message = MESSAGE_KEYS.map((key) => wordsOf(object[key], depth + 1)).find((words) => words !== "") ?? "";
  const details = DETAIL_KEYS.flatMap((key) => particulars(object[key], depth + 1));
  const more = listed(details.filter(({ words }) => !message.includes(words)));
  return message && more ? `${message}: ${more}` : message || more;
}

function particulars(value: unknown, depth: number): Particular[] {
  if (Array.isArray(value)) return value.map((item: unknown) => ({ field: fieldOf(item), words: wordsOf(item, depth + 1) }));
  const words = wordsOf(value, depth + 1);
  if (words !== "" || typeof value !== "object" || value === null) return [{ field: fieldOf(value), words }];
  return Object.entries(value).map(([field, item]) => ({ field, words: wordsOf(item, depth + 1) }));
}

function fieldOf(value: unknown): string | undefined {
  const name = FIELD_KEYS.map((key) => (value as JsonObject | null | undefined)?.[key]).find(
    (field) => typeof field === "string",
  );
  return name as string | undefined;
}

function listed(particulars: readonly Particular[]): string {
  return particulars
    .filter(({ words }) => words !== "")
    .map(({ field, words }) => (field ? `${field}: ${words}` : words))
    .join("; ");
}
