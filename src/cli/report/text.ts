import { styleText } from "node:util";
import { visible } from "../../util/printable";
import { written, type Phrase } from "./phrase";
import type { Row } from "./rows";

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export function painter(coloured: boolean): Paint {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}

export const STYLES = { critical: "red", high: "magenta", medium: "yellow", low: "green", none: "dim" } as const;

export function toText(phrase: Phrase): string {
  return written(phrase, visible);
}

export function rowLines({ risk, verdict, object, happens, why, denied }: Row, paint: Paint): string[] {
  const what = [toText(object), toText(happens)].filter((part) => part !== "").join(": ");
  const mark = denied ? ` [${paint("red", "denied")}]` : "";
  return [`  ${paint(STYLES[risk], verdict.padEnd(10))} ${what}${mark}`, underRow(toText(why))];
}

export function underRow(line: string): string {
  return `             ${line}`;
}
