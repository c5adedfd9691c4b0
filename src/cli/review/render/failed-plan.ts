import { stripVTControlCharacters } from "node:util";
import { visibleLines } from "../../../util/printable";
import { looksSecret } from "../../../model/secret-field";
import { code } from "../../report/markdown";
import { marker, type MarkdownOptions, runLink } from "./markdown";

/**
 * Takes the place of the review after a failed plan.
 * @param output of Terraform; empty if Terraform has not planned
 * @param mask hides secret text
 */
export function failedPlanMarkdown(
  output: string,
  mask: (text: string) => string,
  { id, maxBytes, origin = {} }: MarkdownOptions,
): string {
  const planned = origin.commit === undefined ? "the present state" : code(origin.commit.slice(0, 12));
  const shown = visibleLines(withoutSecrets(mask(stripVTControlCharacters(output)).trimEnd()));
  const about =
    shown === ""
      ? "so the effect of this change is unknown. Earlier reviews of this change are no longer valid."
      : "so nothing can be applied. Terraform says why. What depends on a refused object is missing here.";
  const head = [`The plan of ${planned} failed, ${about}`, ...runLink(origin)].join(" ");
  const text = `${marker(id)}\n## ⚪ No review: the plan failed\n\n${head}\n`;
  return shown === "" ? text : `${text}\n${block(shown, maxBytes - Buffer.byteLength(text))}\n`;
}

/** Terraform writes errors last, so the end is kept. */
function block(text: string, maxBytes: number): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const room = maxBytes - Buffer.byteLength(`\n${fence}text\n…\n\n${fence}\n`);
  const bytes = Buffer.from(text);
  const kept = bytes.length <= room ? text : `…\n${wholeLines(bytes.subarray(bytes.length - room).toString())}`;
  return `${fence}text\n${kept}\n${fence}`;
}

function wholeLines(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** As in a review, for the lines of a plan and of its errors. */
function withoutSecrets(text: string): string {
  const lines = text.replace(PRIVATE_KEY, HIDDEN).split("\n");
  return lines
    .map((line) =>
      line.replace(VALUE, (all, before: string, key = "", value: string) => {
        return looksSecret(key, ...value.split(/["\s]+/)) ? `${before}${HIDDEN}` : all;
      }),
    )
    .join("\n");
}

const HIDDEN = "[hidden]";
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|$)/gs;
/** `key = value` and `"key": value`, behind the sign of a change. */
const VALUE = /^(\W*(?:([\w-]+)"?\s*[=:] *)?)(.*)$/;
