import { readFileSync } from "node:fs";

/** Docstrings, each with the code up to the next one. */
const documented = (file: string) => [
  ...readFileSync(`src/constructs/${file}.ts`, "utf8").matchAll(/\/\*\*(?<doc>[^]*?)\*\/(?<code>[^]*?)(?=\/\*\*|$)/g),
];

/** What an engine with hooks refuses. */
const REFUSED: readonly (readonly [file: string, code: RegExp, names: readonly string[]])[] = [
  ["cluster", /^\s*get (\w+)\(\)[^]*this\._live\(/, ["endpoint", "phase"]],
  ["provider", /^\s*get (\w+)\(\)[^]*this\._live\(/, ["kubernetesVersions"]],
  ["managed-object", /^\s*(\w+)\([^]*?this\.resource\("\1"/, ["addOverride", "moveFromId", "importFrom"]],
  ["managed-object", /^\s*readonly (lifecycle)\?/, ["lifecycle"]],
  ["data", /^\s*export class (\w+) extends Data\b/, ["DataClusters", "DataProviders", "DataCluster", "DataProvider"]],
];

test.each(REFUSED)("the first line of a docstring says what exists with one engine only: %s %s", (file, code, names) => {
  const found = documented(file).flatMap(({ groups }) => {
    const [, name] = code.exec(groups!.code!) ?? [];
    return name === undefined ? [] : [{ name, begins: groups!.doc!.replace(/^[\s*]+/, "").split(". ")[0] }];
  });
  expect(found).toEqual(names.map((name) => ({ name, begins: "{@link Engine.PROVIDER} only" })));
});
