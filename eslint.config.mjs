import { createNodeResolver, importX } from "eslint-plugin-import-x";
import tseslint from "typescript-eslint";

/** Code that knows of clusters. The plugin protocol must not import it. */
const OF_CLUSTERS = ["**/model/*", "**/declarations/**", "**/lifecycle/*", "**/api/**", "**/contract/*"];
const PLUGIN = ["**/constructs/**", "**/hooks/*", "**/cli/*", "**/simulator/*", "cdktf", "constructs"];
/** Tests of users' stacks review changes of them, too. */
const CLI_WITHOUT_REVIEW = ["doctor", "drift", "get", "report", "review/comment", "review/render"].map(
  (part) => `**/cli/${part}/**`,
);
const TESTING = [
  ...["**/constructs/**", "**/hooks/*", "**/api/**", "**/plugin/**", "**/lifecycle/*", "**/simulator/*"],
  ...CLI_WITHOUT_REVIEW,
];
const CONSTRUCTS = ["**/api/**", "**/plugin/**", "**/hooks/*", "**/cli/*", "**/simulator/*", "undici"];
const CLI = ["**/constructs/**", "**/hooks/*", "cdktf", "constructs"];

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

/** The imports that are forbidden in each layer. */
const layers = [
  { files: ["src/model/**"], forbidden: ["../*/**"] },
  { files: ["src/terraform/**"], forbidden: ["../*/**"] },
  { files: ["src/decision/**"], forbidden: ["../!(model)/**", "node:*"] },
  { files: ["src/api/**"], forbidden: ["../!(model)/**", "../../!(model)/**"] },
  { files: ["src/declarations/**"], forbidden: ["../../!(model|terraform)/**", "**/api/**", "**/contract/**", "undici"] },
  {
    files: ["src/lifecycle/**"],
    forbidden: ["../!(model|declarations|api|decision)/**", "node:fs", "node:timers/promises", "undici", "cdktf", "constructs"],
  },
  { files: ["src/host/**"], forbidden: ["../!(model|lifecycle)/**"] },
  { files: ["src/contract/**"], forbidden: ["**/constructs/**", "**/hooks/*", "**/cli/*", "**/simulator/*", "undici"] },
  {
    files: ["src/constructs/**"],
    forbidden: CONSTRUCTS,
  },
  { files: ["src/constructs/synth/**"], forbidden: [...CONSTRUCTS, "../*-engine/**"] },
  { files: ["src/hooks/**"], forbidden: ["**/constructs/**", "**/cli/*", "**/simulator/*", "cdktf", "constructs"] },
  { files: ["src/plugin/**"], forbidden: PLUGIN },
  { files: ["src/plugin/{protocol,values,server}/**"], forbidden: [...PLUGIN, ...OF_CLUSTERS] },
  {
    files: ["src/recognition/**"],
    forbidden: ["**/api/**", "**/plugin/**", "**/hooks/*", "**/cli/**", "**/lifecycle/*", "**/simulator/*", "undici"],
  },
  { files: ["src/simulator/**"], forbidden: ["**/constructs/**", "**/cli/*", "**/hooks/*", "cdktf", "constructs"] },
  { files: ["src/testing/**"], forbidden: TESTING },
  { files: ["src/cli/**"], forbidden: CLI },
  { files: ["src/cli/review/plan/**"], forbidden: [...CLI, "../judge/*", "../render/*", "../comment/*"] },
  { files: ["src/cli/review/judge/**"], forbidden: [...CLI, "../render/*", "../comment/*"] },
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
  ...layers.map(({ files, forbidden }) => ({
    files,
    rules: { "no-restricted-imports": ["error", { patterns: forbidden.map((group) => ({ group: [group] })) }] },
  })),
);
