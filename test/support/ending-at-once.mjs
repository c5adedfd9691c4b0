import { TestEnvironment } from "jest-environment-node";

// Without this, a worker of jest frees the memory of all its tests when it ends. That may take longer than the half second that jest
// waits, and jest then reports a leak.
process.once("exit", () => process.exit());

export default TestEnvironment;
