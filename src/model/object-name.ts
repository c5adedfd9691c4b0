/** Used in URLs, in Terraform addresses and in file names. */
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
export const LONGEST_NAME = 253;

export const NAME_RULE = `be 1 to ${LONGEST_NAME} ASCII letters, digits, '.', '_' or '-', beginning and ending with a letter or digit`;

export function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && NAME.test(text);
}
