import { styleText } from "node:util";

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Colours text, or returns it unchanged. The caller decides, because the caller knows whether there is a terminal. */
export function painter(coloured: boolean): Paint {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}
