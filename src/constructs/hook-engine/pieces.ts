import { CHUNK_CHARACTERS } from "../../contract/hook-protocol";

/**
 * Splits text over environment variables `NAME_0`, `NAME_1` and so on, because it may be too long for one.
 * @param expression Terraform expression without its braces
 */
export function piecesOf(name: string, expression: string, count: number): Record<string, string> {
  if (count === 1) return { [`${name}_0`]: `\${${expression}}` };
  const piece = (index: number) => `\${substr(${expression}, ${index * CHUNK_CHARACTERS}, ${CHUNK_CHARACTERS})}`;
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}_${index}`, piece(index)]));
}

export function literalPieces(name: string, text: string): Record<string, string> {
  const count = Math.max(1, Math.ceil(text.length / CHUNK_CHARACTERS));
  const piece = (index: number) => text.slice(index * CHUNK_CHARACTERS, (index + 1) * CHUNK_CHARACTERS);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}_${index}`, piece(index)]));
}
