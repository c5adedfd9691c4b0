/** A local-exec provisioner's `interpreter`. Terraform adds the command as the last argument. */

/** It becomes part of a script, so it must not have quotes. */
export const INCOMPLETE_PROGRAM =
  "The hook program is not complete. Synthesize again, or bring the folder assets along with cdk.tf.json";

/**
 * Loads the program that its first argument names, because Node itself answers a missing file with a stack trace. It works as
 * CommonJS and as an ES module: NODE_OPTIONS decides which. It has no double quote, percent sign, dollar sign or ampersand, so
 * that no shell, batch file or Terraform template changes it.
 */
const LOADER = [
  "const program = process.getBuiltinModule('path').resolve(process.argv[1]);",
  "try { process.getBuiltinModule('module').createRequire(program)(program) }",
  "catch (error) {",
  "if (error.code === 'MODULE_NOT_FOUND') {",
  `console.error('Error [INVALID_SETTING] ' + /.*/.exec(error.message)[0] + '; nothing was sent. ${INCOMPLETE_PROGRAM}');`,
  "process.exitCode = 2 } else throw error }",
].join(" ");

/** @param program path of the hook program, relative to the stack's folder */
export function hookInterpreter(program: string): string[] {
  return ["node", "-e", LOADER, program];
}
