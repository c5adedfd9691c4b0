import { createNodeResolver, importX } from "eslint-plugin-import-x";
import tseslint from "typescript-eslint";

/**
 * The folders of src, from the bottom to the top. Each one imports only `util` and what stands beside it, and that stands above it in
 * the list.
 */
const FOLDERS = [
  ["util"],
  ["model"],
  ["terraform"],
  ["declarations", "model", "terraform"],
  ["api", "model"],
  ["decision", "model"],
  ["lifecycle", "model", "declarations", "api", "decision"],
  ["contract", "model", "terraform", "declarations", "api", "lifecycle"],
  ["synthesized", "model", "terraform", "declarations", "contract"],
  ["host", "model", "api", "lifecycle", "synthesized"],
  ["hooks", "model", "declarations", "api", "decision", "lifecycle", "contract", "synthesized", "host"],
  // The plugin protocol knows nothing of clusters.
  ["plugin/protocol"],
  ["plugin/values", "terraform"],
  ["plugin/server", "terraform", "plugin/protocol", "plugin/values"],
  [
    "plugin/resources",
    ...["model", "terraform", "declarations", "api", "decision", "lifecycle", "contract", "host", "plugin/server"],
  ],
  ["plugin", "host", "plugin/protocol", "plugin/server", "plugin/resources"],
  ["constructs", "model", "terraform", "declarations", "contract", "synthesized"],
  ["recognition", "model", "terraform", "declarations", "contract", "synthesized", "constructs"],
  ["simulator", "model", "declarations"],
  ["cli/report", "model", "terraform", "declarations", "contract", "synthesized"],
  ["cli/get", "model", "declarations", "api", "lifecycle", "cli/report"],
  [
    "cli/drift",
    ...["model", "terraform", "declarations", "api", "decision", "lifecycle", "contract", "synthesized", "cli/report"],
  ],
  [
    "cli/doctor",
    ...["model", "terraform", "declarations", "api", "decision", "lifecycle", "contract", "synthesized", "host"],
    ...["cli/report", "cli/drift"],
  ],
  [
    "cli/review/plan",
    ...["model", "terraform", "declarations", "api", "lifecycle", "contract", "synthesized", "host", "recognition", "cli/report"],
  ],
  [
    "cli/review/judge",
    ...["model", "terraform", "declarations", "decision", "lifecycle", "contract", "recognition"],
    ...["cli/report", "cli/review/plan"],
  ],
  [
    "cli/review/synth",
    ...["model", "terraform", "declarations", "contract", "synthesized", "recognition", "cli/report", "cli/review/plan"],
  ],
  ["cli/review/render", "model", "cli/report", "cli/review/judge"],
  ["cli/review/comment", "model", "api"],
  [
    "cli",
    ...["model", "api", "synthesized", "host", "simulator", "cli/report", "cli/get", "cli/drift", "cli/doctor"],
    ...["plan", "judge", "synth", "render", "comment"].map((part) => `cli/review/${part}`),
  ],
  ["testing", "model", "declarations", "contract", "synthesized", "cli/review/judge", "cli/review/synth"],
];

for (const [index, [folder, ...imports]] of FOLDERS.entries()) {
  const below = imports.filter((each) => !FOLDERS.slice(0, index).some(([above]) => above === each));
  if (below.length > 0) throw new Error(`src/${folder} imports ${below.join(", ")}, which must stand above it`);
}

/** A folder's own files are those that belong to no other folder of the list. */
const FOLDER_ZONES = FOLDERS.map(([folder, ...imports]) => ({
  target: FOLDERS.some(([other]) => other.startsWith(`${folder}/`)) ? `./src/${folder}/*.ts` : `./src/${folder}`,
  from: "./src",
  except: [...new Set(["util", folder, ...imports])].map((each) => `./${each}`),
  message: `FOLDERS in eslint.config.mjs says what src/${folder} imports.`,
}));

/** What these parts may use of the process and the machine only as a caller passes it in, so that a simulated world can. */
const WITHOUT_MACHINE = ["src/lifecycle/**", "src/hooks/!(main|signals|self-test).ts", "src/plugin/resources/**"];
const MACHINE_PROPERTIES = [
  ["Date", "now"],
  ["Math", "random"],
  ["process", "stdout"],
  ["process", "stderr"],
  ["process", "ppid"],
  ["process", "pid"],
];

/** Packages that files must not import. The last entry that matches a file counts. */
const CDKTF = ["cdktf", "constructs"];
const FORBIDDEN_PACKAGES = [
  { files: ["src/**"], packages: ["undici", ...CDKTF] },
  { files: ["src/api/**"], packages: CDKTF },
  { files: ["src/{constructs,recognition,testing}/**"], packages: ["undici"] },
  { files: ["src/decision/**"], packages: ["undici", ...CDKTF, "node:.*"] },
  { files: WITHOUT_MACHINE, packages: ["undici", ...CDKTF, "node:fs", "node:timers/promises"] },
];

export default tseslint.config(
  { ignores: ["dist/", "**/cdktf.out/", "node_modules/", "docs/api/", ".cache/", "src/plugin/protocol/generated/"] },
  ...tseslint.configs.recommended,
  {
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      eqeqeq: "error",
      "no-console": "off",
    },
  },
  {
    files: ["{src,test,bench,examples}/**/*.ts"],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { "import-x": importX },
    settings: {
      ...importX.flatConfigs.typescript.settings,
      "import-x/resolver-next": [createNodeResolver({ extensions: [".ts"] })],
    },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { arguments: false } }],
      "@typescript-eslint/await-thenable": "error",
      "import-x/no-cycle": "error",
      "import-x/no-restricted-paths": [
        "error",
        { zones: [...FOLDER_ZONES, { target: "./src/constructs/synth", from: "./src/constructs/*-engine/**" }] },
      ],
    },
  },
  {
    // For the types of matchers.
    files: ["{test,examples}/**/*.ts"],
    rules: {
      "@typescript-eslint/no-namespace": ["error", { allowDeclarations: true }],
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
    },
  },
  {
    files: WITHOUT_MACHINE,
    rules: {
      "no-restricted-globals": ["error", "setTimeout", "setInterval", "setImmediate", "performance"],
      "no-restricted-properties": ["error", ...MACHINE_PROPERTIES.map(([object, property]) => ({ object, property }))],
      "no-restricted-syntax": ["error", "NewExpression[callee.name='Date'][arguments.length=0]"],
    },
  },
  ...FORBIDDEN_PACKAGES.map(({ files, packages }) => ({
    files,
    rules: { "no-restricted-imports": ["error", { patterns: packages.map((name) => ({ regex: `^${name}(/|$)` })) }] },
  })),
);
