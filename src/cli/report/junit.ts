import { xml } from "./xml";

export interface JunitCase {
  /** From the general to the particular, joined by dots. */
  readonly classname: string;
  readonly name: string;
  readonly failure?: { readonly type: string; readonly message: string; readonly text: string };
}

export function junit(suite: string, cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0"`;
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="${xml(suite)}" ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...cases.map(({ classname, name, failure }) => {
      const open = `    <testcase classname="${xml(classname)}" name="${xml(name)}" time="0"`;
      if (!failure) return `${open}/>`;
      const { type, message, text } = failure;
      return `${open}>\n      <failure type="${xml(type)}" message="${xml(message)}">${xml(text)}</failure>\n    </testcase>`;
    }),
    `  </testsuite>`,
    `</testsuites>`,
    ``,
  ].join("\n");
}
