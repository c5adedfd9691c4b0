import tseslint from "typescript-eslint";

const CLI = ["**/constructs/*", "**/hooks/*", "cdktf", "constructs"];

/** Who may import whom: design rules that a reviewer should not have to remember. */
const layers = [
  { files: ["src/model/**"], forbidden: ["../*/**"] },
  { files: ["src/api/**"], forbidden: ["../!(model)/**", "../../!(model)/**"] },
  { files: ["src/declarations/**"], forbidden: ["../../!(model)/**", "**/api/**", "**/contract/**", "undici"] },
  { files: ["src/lifecycle/**"], forbidden: ["../!(model|declarations|api)/**", "undici", "cdktf", "constructs"] },
  { files: ["src/contract/**"], forbidden: ["**/constructs/*", "**/hooks/*", "**/cli/*", "**/simulator/*", "undici"] },
  { files: ["src/constructs/**"], forbidden: ["**/api/**", "**/hooks/*", "**/cli/*", "**/simulator/*", "undici"] },
  { files: ["src/hooks/**"], forbidden: ["**/constructs/*", "**/cli/*", "**/simulator/*", "cdktf", "constructs"] },
  { files: ["src/simulator/**"], forbidden: ["**/constructs/*", "**/cli/*", "**/hooks/*", "cdktf", "constructs"] },
  { files: ["src/cli/**"], forbidden: CLI },
  { files: ["src/cli/review/plan/**"], forbidden: [...CLI, "../judge/*", "../render/*", "../comment/*"] },
  { files: ["src/cli/review/judge/**"], forbidden: [...CLI, "../render/*", "../comment/*"] },
];

export default tseslint.config(
  { ignores: ["dist/", "**/cdktf.out/", "node_modules/", "docs/api/", ".cache/"] },
  ...tseslint.configs.recommended,
  {
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      eqeqeq: "error",
      "no-console": "off",
    },
  },
  ...layers.map(({ files, forbidden }) => ({
    files,
    rules: { "no-restricted-imports": ["error", { patterns: forbidden.map((group) => ({ group: [group] })) }] },
  })),
);
