import { visibleLines } from "../../../util/printable";
import { looksSecret } from "../../../model/secret-field";
import { code, fenced } from "../../report/markdown";
import { marker, type MarkdownOptions, runLink } from "./markdown";

/**
 * Takes the place of the review after a failed plan.
 * @param output of Terraform, without secrets
 */
export function failedPlanMarkdown(output: string, { id, maxBytes, origin = {} }: MarkdownOptions): string {
  const planned = origin.commit === undefined ? "the present state" : code(origin.commit.slice(0, 12));
  const head = [`The plan of ${planned} failed, ${ABOUT}`, ...runLink(origin)].join(" ");
  const text = `${marker(id)}\n## ⚪ No review: the plan failed\n\n${head}\n`;
  return `${text}\n${block(output, maxBytes - Buffer.byteLength(text))}\n`;
}

/** The same for a terminal. */
export function failedPlanText(output: string): string {
  return `No review: the plan failed, ${ABOUT}\n\n${output}\n`;
}

const ABOUT = "so nothing can be applied. Terraform says why. What depends on a refused object is missing here.";

/** Terraform writes errors last, so the end is kept. */
function block(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  const around = Buffer.byteLength(fenced(text, "text")) - bytes.length;
  const room = maxBytes - around - Buffer.byteLength("\n…\n\n");
  return fenced(bytes.length <= room ? text : `…\n${wholeLines(bytes.subarray(bytes.length - room).toString())}`, "text");
}

function wholeLines(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** Hides the secrets in the lines of a plan and of its errors, as in a review. */
export function withoutSecrets(output: string): string {
  const lines = output.trimEnd().replace(PRIVATE_KEY, HIDDEN).split("\n");
  const hidden = lines.map((line) =>
    line.replace(VALUE, (all, before: string, key = "", value: string) => {
      return looksSecret(key, ...value.split(/["\s]+/)) ? `${before}${HIDDEN}` : all;
    }),
  );
  return visibleLines(hidden.join("\n"));
}

const HIDDEN = "[hidden]";
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)/gs;
/** `key = value` and `"key": value`, behind the sign of a change. */
const VALUE = /^(\W*(?:([\w-]+)"?\s*[=:] *)?)(.*)$/;
