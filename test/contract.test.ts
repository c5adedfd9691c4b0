import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as library from "cdktf-cluster-platform";
import { requestBody } from "../src/declarations/declaration";
import { TYPE_CODES, type JsonObject } from "../src/model/provider-type";
import { providerTypes } from "../src/declarations/types";
import { goldens } from "./goldens";
import { at, pathsOf, setAt } from "./support/paths";
import { propPaths } from "./support/schema";

/** Checks for every provider type what CONTRIBUTING.md demands in "Add a provider type". */

interface DocumentedProp {
  readonly path: string;
  readonly fallback?: string;
  readonly wire: readonly string[];
}

let documented: Record<string, { provider: DocumentedProp[]; cluster: DocumentedProp[] }>;
let synthesized: { locals: Record<string, Record<string, unknown>> };

beforeAll(() => {
  documented = JSON.parse(run("scripts/type-pages.mjs", "--json")) as typeof documented;
  const outdir = mkdtempSync(join(tmpdir(), "cluster-platform-contract-"));
  run("--import", "tsx", "examples/all-types/main.ts", { CDKTF_OUTDIR: outdir });
  synthesized = JSON.parse(readFileSync(join(outdir, "stacks/all-types/cdk.tf.json"), "utf8")) as typeof synthesized;
  rmSync(outdir, { recursive: true });
});

test("every file of src/declarations/types is a type, and every type has its file", () => {
  expect(sources("src/declarations/types").sort()).toEqual([...TYPE_CODES, "index"].sort());
});

test("the rest of the package names no type, so a new one needs no change there", () => {
  const ofTypes = /^src\/(constructs|declarations|simulator)\/types\/|^src\/model\/provider-type\.ts$/;
  const literal = new RegExp(`"(${TYPE_CODES.join("|")})"`);
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).map((file) => join("src", file));
  const rest = files.filter((file) => file.endsWith(".ts") && !ofTypes.test(file));
  expect(rest).toContain("src/plugin/resources/provider.ts");
  expect(rest.filter((file) => literal.test(readFileSync(file, "utf8")))).toEqual([]);
});

test("every provider type is in the registry under its own code", () => {
  expect(Object.fromEntries(Object.entries(providerTypes).map(([key, { code }]) => [key, code]))).toEqual(
    Object.fromEntries(TYPE_CODES.map((code) => [code, code])),
  );
});

test("the pages of docs/types match the docstrings and examples", () => {
  expect(run("scripts/type-pages.mjs", "--check")).toBe("");
});

test("the variables of examples/all-types are those of its .env.example, and no others", () => {
  const used = sources("examples/all-types").flatMap((name) =>
    [...readFileSync(`examples/all-types/${name}.ts`, "utf8").matchAll(/fromEnv\("(\w+)"\)/g)].map(([, variable]) => variable),
  );
  const example = readFileSync("examples/all-types/.env.example", "utf8");
  const listed = [...example.matchAll(/^export (\w+)=/gm)].map(([, variable]) => variable);
  expect(listed.sort()).toEqual([...used, "CLUSTER_PLATFORM_URL", "CLUSTER_PLATFORM_TOKEN"].sort());
});

describe.each(TYPE_CODES)("%s", (code) => {
  const Name = `${code[0]!.toUpperCase()}${code.slice(1)}`;
  const exported = library as unknown as Record<string, { fromName?: (name: string) => unknown } | undefined>;

  test("has a pair of constructs that the package exports", () => {
    expect(sources("src/constructs/types")).toContain(code);
    expect(exported[`${Name}Provider`]).toBeInstanceOf(Function);
    expect(exported[`${Name}Cluster`]).toBeInstanceOf(Function);
    expect(exported[`${Name}Provider`]!.fromName!("main")).toEqual({ providerName: "main", providerType: code });
  });

  test("has a golden of its own", () => {
    expect(goldens[code]?.code).toBe(code);
    expect(sources("test/goldens")).toContain(code);
  });

  test("is in examples/all-types, with a provider and a cluster on it", () => {
    expect(sources("examples/all-types")).toContain(code);
    expect(Object.keys(synthesized.locals[`${code}_providers`]!)).toHaveLength(1);
    expect(Object.keys(synthesized.locals[`${code}_clusters`]!)).toHaveLength(1);
  });

  test("has a page in docs/types, with example, tables and what the service does not tell, that the index lists", () => {
    const page = readFileSync(`docs/types/${code}.md`, "utf8");
    for (const heading of ["Example", `${Name}Provider`, `${Name}Cluster`, "On the wire", "What the service does not tell"]) {
      expect(page).toContain(`\n## ${heading}\n`);
    }
    expect(page).toContain(`new ${Name}Cluster(`);
    expect(readFileSync("docs/types/README.md", "utf8")).toContain(`[${code}](${code}.md)`);
  });

  describe.each(["provider", "cluster"] as const)("%s", (kind) => {
    const leaves = () => propPaths(providerTypes[code][kind].spec).map((path) => path.replaceAll("[0]", "[]"));
    const rows = () => documented[code]![kind];
    const leafRows = () => rows().filter(({ path }) => leaves().includes(path) && path !== "services");

    test("documents exactly the props that it accepts", () => {
      const common = ["adopt", "dependsOn", "lifecycle", "platform"];
      const handling = kind === "cluster" ? [...common, "waitForReady"] : common;
      const parents = rows().filter(({ path }) =>
        rows().some((other) => other.path.startsWith(`${path}.`) || other.path.startsWith(`${path}[]`)),
      );
      const own = rows().filter((row) => !parents.includes(row));
      expect(own.map(({ path }) => path).sort()).toEqual([...leaves(), ...handling].sort());
    });

    test("has every prop in a table, of its page or of all types", () => {
      const rowsOf = (page: string) => [...readFileSync(`docs/types/${page}.md`, "utf8").matchAll(/^\| (`[^|]+`) \|/gm)];
      const shown = ["README", code].flatMap(rowsOf).flatMap(([, names]) => names!.replaceAll("`", "").split(", "));
      expect(rows().filter(({ path }) => !shown.includes(path))).toEqual([]);
    });

    test("documents the real default of every prop", () => {
      const { declaration } = goldens[code][kind].minimal;
      const defaults = providerTypes[code][kind].defaults(declaration);
      const literal = leafRows().filter(({ fallback }) => fallback !== undefined && !fallback.startsWith("- "));
      const said = literal.map(({ path, fallback }) => [path, JSON.parse(fallback!)]);
      expect(said).toEqual(literal.map(({ path }) => [path, at(defaults, path.replaceAll("[]", "[0]"))]));
    });

    test("documents every prop's wire field as the field that changes with it", () => {
      const withWire = leafRows().filter(({ wire }) => wire.length > 0);
      const wireless = leafRows().filter(({ wire }) => wire.length === 0);
      expect(wireless.map(({ path }) => path)).toEqual(
        kind === "provider" ? ["credentialsVersion", "bodyOverrides"] : ["bodyOverrides"],
      );
      const misplaced = withWire.filter(
        ({ path, wire }) => !arrivals(code, kind, path).some((place) => isIn(place, wire[0]!, kind)),
      );
      expect(misplaced).toEqual([]);
    });
  });
});

/** Paths in the request body that change with the prop. */
function arrivals(code: (typeof TYPE_CODES)[number], kind: "provider" | "cluster", path: string): string[] {
  const { bodyOverrides: _, ...declaration } = goldens[code][kind].maximal.declaration;
  const [body, other] = ["arrived", ""].map((value) => {
    const marked = setAt(declaration, path.replaceAll("[]", "[0]"), path.endsWith("roles") ? [value] : value);
    return requestBody(providerTypes[code][kind], marked as JsonObject);
  });
  return pathsOf(body, (value) => typeof value !== "object")
    .filter((place) => at(body, place) !== at(other, place))
    .map((place) => place.replace(/\[\d+\]/g, "[]"));
}

/** Docstrings of node configurations give the path inside of the configuration. */
function isIn(place: string, wire: string, kind: "provider" | "cluster"): boolean {
  return place === wire || (kind === "cluster" && place.endsWith(`.${wire}`));
}

function sources(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => basename(file, ".ts"));
}

function run(...parts: (string | NodeJS.ProcessEnv)[]): string {
  const args = parts.filter((part): part is string => typeof part === "string");
  const env = parts.find((part): part is NodeJS.ProcessEnv => typeof part !== "string");
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return stdout;
}
