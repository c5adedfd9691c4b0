import { availableParallelism } from "node:os";

/** @type {import("jest").Config} */
export default {
  testEnvironment: "node",
  // In milliseconds. A worker has no open handle at its end, but it needs longer than jest's half second to free its memory.
  workerGracefulExitTimeout: 30_000,
  globalSetup: "<rootDir>/test/support/global-setup.mjs",
  // Only stops a test that hangs. No test's outcome depends on how fast the machine is.
  testTimeout: 900_000,
  // Most of a test is spent in Terraform and its hooks, which are processes of their own and often wait.
  maxWorkers: 3 * availableParallelism(),
  testSequencer: "<rootDir>/test/support/longest-first.mjs",
  roots: ["<rootDir>/test"],
  testMatch: ["**/*.test.ts"],
  transform: {
    "^.+\\.ts$": ["@swc/jest", { jsc: { parser: { syntax: "typescript" }, target: "es2022" }, sourceMaps: "inline" }],
  },
  moduleNameMapper: {
    "/stack-trace$": "<rootDir>/test/support/no-stack-traces.cjs",
    "^cdktf-cluster-platform$": "<rootDir>/src/index.ts",
    "^cdktf-cluster-platform/simulator$": "<rootDir>/src/simulator/index.ts",
    "^cdktf-cluster-platform/testing$": "<rootDir>/src/testing/index.ts",
  },
};
