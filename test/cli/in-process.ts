import { runCommand } from "../../src/cli/run-command";
import { inherited, type Ran } from "./built";

/**
 * Runs a command in this process. A test of standard input, of a signal or of `NODE_OPTIONS` needs a process of its own, see
 * {@link built}. So does a run beside another one.
 */
export async function inProcess(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const ran = { stdout: "", stderr: "" };
  const into = (name: keyof typeof ran) => (text: unknown) => ((ran[name] += String(text)), true);
  const lineInto = (name: keyof typeof ran) => (text: unknown) => void into(name)(`${String(text)}\n`);
  const spies = [
    jest.spyOn(process.stdout, "write").mockImplementation(into("stdout")),
    jest.spyOn(process.stderr, "write").mockImplementation(into("stderr")),
    jest.spyOn(console, "log").mockImplementation(lineInto("stdout")),
    jest.spyOn(console, "error").mockImplementation(lineInto("stderr")),
  ];
  const before = process.env;
  const { isTTY } = process.stdout;
  process.env = { ...inherited(), ...env };
  process.stdout.isTTY = false;
  try {
    process.exitCode = 0;
    await runCommand(args);
    return { status: Number(process.exitCode), ...ran };
  } finally {
    process.exitCode = undefined;
    process.env = before;
    process.stdout.isTTY = isTTY;
    for (const spy of spies) spy.mockRestore();
  }
}
