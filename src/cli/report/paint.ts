import { styleText } from "node:util";

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Puts text in colours, or leaves it as it is; whether there is a terminal is for the caller to know. */
export function painter(coloured: boolean): Paint {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}
