import { resolve, sep } from "node:path";
import ts from "typescript";

const CONSTRUCTS = resolve("src/constructs") + sep;

/** Props about the handling of an object. They come last on a page. */
const HANDLING = ["credentialsVersion", "bodyOverrides", "adopt", "dependsOn", "lifecycle", "waitForReady", "platform"];

/** By path, for a type's two constructs. */
export function documentedProps(codes) {
  const files = codes.map((code) => `${CONSTRUCTS}types${sep}${code}.ts`);
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile("tsconfig.json", ts.sys.readFile).config, ts.sys, ".");
  const program = ts.createProgram(files, { ...options, types: [] });
  const checker = program.getTypeChecker();

  return Object.fromEntries(
    codes.map((code, index) => {
      const source = program.getSourceFile(files[index]);
      const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source));
      const propsOf = (suffix) => {
        const name = code[0].toUpperCase() + code.slice(1) + suffix;
        const symbol = exported.find((candidate) => candidate.name === name);
        if (!symbol) throw new Error(`${files[index]} must export ${name}`);
        return sorted(rows(checker, code, checker.getDeclaredTypeOfSymbol(symbol)));
      };
      return [code, { provider: propsOf("ProviderProps"), cluster: propsOf("ClusterProps") }];
    }),
  );
}

function rows(checker, code, type, prefix = "") {
  return checker.getPropertiesOfType(type).flatMap((symbol) => {
    const declared = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    const element = checker.isArrayType(declared) ? checker.getTypeArguments(declared)[0] : declared;
    const path = `${prefix}${symbol.name}${element === declared ? "" : "[]"}`;
    const row = {
      path: prefix + symbol.name,
      type: typeText(checker, declared),
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      ...documentation(checker, code, symbol),
    };
    return isPartOfTheVocabulary(element) ? [row, ...rows(checker, code, element, `${path}.`)] : [row];
  });
}

/** A class or a reference to a construct is not part of it. */
function isPartOfTheVocabulary(type) {
  const parts = type.isIntersection() ? type.types : [type];
  return parts.every((part) => {
    const declaration = part.symbol?.declarations?.[0];
    if (!declaration || !ts.isInterfaceDeclaration(declaration) || part.symbol.name.startsWith("ICap")) return false;
    return resolve(declaration.getSourceFile().fileName).startsWith(CONSTRUCTS);
  });
}

function typeText(checker, type) {
  const members = type.isUnion() ? type.types : [type];
  const names = members
    .map((member) => checker.typeToString(member, undefined, ts.TypeFormatFlags.NoTruncation))
    .filter((name) => name !== "IResolvable");
  const text = [...new Set(names.map((name) => (name === "true" || name === "false" ? "boolean" : name)))].join(" | ");
  return text.includes("&") ? (checker.isArrayType(type) ? "object[]" : "object") : text.replace(/readonly /g, "");
}

const CHANGE = / ?Changing (?:it|them) replaces the (?:registration|cluster|object)(?:, unless it is a Secret)?\./;
const WIRE = / ?Wire: (.*?)\.?$/;
/** A field with exceptions by type: `name` (capvs, capyc: `identityName`). */
const EXCEPTION = /^(.*) \((.*): (.*)\)$/;

function documentation(checker, code, symbol) {
  const full = ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replace(/\{@link ([\w.]+) ?\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === "default");
  const wire = WIRE.exec(full)?.[1] ?? "";
  const [, usual, codes, unusual] = EXCEPTION.exec(wire) ?? [undefined, wire, "", ""];
  const fields = codes.split(", ").includes(code) ? unusual : usual;
  return {
    fallback: tag ? ts.displayPartsToString(tag.text).replace(/\s+/g, " ") : undefined,
    wire: [...fields.matchAll(/`([^`]+)`/g)].map(([, field]) => field),
    text: full.replace(WIRE, "").replace(CHANGE, "").trim(),
  };
}

function sorted(all) {
  const rank = ({ path }) => {
    const [head] = path.split(/[.[]/);
    if (head === "name") return 0;
    return head === "provider" ? 1 : HANDLING.includes(head) ? 3 + HANDLING.indexOf(head) : 2;
  };
  return all
    .map((row, index) => ({ row, index }))
    .sort((one, other) => rank(one.row) - rank(other.row) || one.index - other.index)
    .map(({ row }) => row);
}
