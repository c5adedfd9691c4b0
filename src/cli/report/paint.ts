import { styleText } from "node:util";

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export function painter(coloured: boolean): Paint {
  return (style, text) => (coloured ? styleText(style, text, { validateStream: false }) : text);
}
