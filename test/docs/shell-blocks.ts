import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { CodeBlock } from "./pages";

/** Programs that the pages may use. The test does not check that they exist. */
const TAKEN_FOR_GRANTED = new Set(
  "bash cat cd chmod cluster-platform cp curl docker echo export git grep jq kill mkdir mv node npm npx openssl printf rm sed sh sort tar tee test wc".split(
    " ",
  ),
);
const TERRAFORM =
  "apply console destroy fmt force-unlock graph import init output plan providers refresh show state taint test untaint validate version workspace".split(
    " ",
  );
const CDKTF = "convert deploy destroy diff get init list login output provider synth watch".split(" ");

const npmScripts = Object.keys((JSON.parse(readFileSync("package.json", "utf8")) as { scripts: object }).scripts);
const NPM = "ci dedupe install ls pack test".split(" ");

async function subcommands(): Promise<Map<string, Command>> {
  const names = readdirSync("src/cli")
    .filter((file) => /^(doctor|drift|get|review|simulator)\.ts$/.test(file))
    .map((file) => file.slice(0, -".ts".length));
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, ((await import(`../../src/cli/${name}`)) as { command: Command }).command] as const),
    ),
  );
}

/** The options of `cluster-platform` and of `npm run simulate`. */
export async function ownOptions(): Promise<ReadonlySet<string>> {
  const of = ({ options, commands }: Command): string[] => [...options.map(({ long }) => long!), ...commands.flatMap(of)];
  const usage = readFileSync("test/world/main.ts", "utf8").matchAll(/^ {2}(--[a-z-]+)/gm);
  return new Set([...[...(await subcommands()).values()].flatMap(of), ...[...usage].map(([, option]) => option!)]);
}

/** Finds errors in shell blocks: syntax errors, unknown programs and subcommands, and wrong arguments of `cluster-platform`. */
export async function shellErrors(blocks: readonly CodeBlock[]): Promise<string[]> {
  const commands = await subcommands();
  return blocks.flatMap(({ page, line, code }) => {
    const syntax = spawnSync("bash", ["-n"], { input: code, encoding: "utf8" }).stderr;
    const faults = syntax ? [syntax.trim()] : simpleCommands(code).flatMap((words) => commandFaults(words, commands));
    return faults.map((fault) => `${page}:${line}: ${fault}`);
  });
}

export function commandFaults(words: readonly string[], commands: ReadonlyMap<string, Command>): string[] {
  const [program = "", ...args] = words;
  if (program === "npx")
    return commandFaults(
      args.filter((word, index) => index > 0 || !word.startsWith("-")),
      commands,
    );
  if (program === "node" && args[0] === "dist/cli/main.js")
    return commandFaults(["cluster-platform", ...args.slice(1)], commands);
  if (program === "cluster-platform") return ownFaults(args, commands);
  if (program === "npm") {
    if (args[0] === "run") return npmScripts.includes(args[1]!) ? [] : [`npm run ${args[1]}: no such script`];
    return NPM.includes(args[0]!) ? [] : [`npm ${args[0]}: not known here`];
  }
  const subcommand = args.find((word) => !word.startsWith("-"));
  if (program === "terraform" || program === "tofu")
    return TERRAFORM.includes(subcommand!) ? [] : [`${program} ${subcommand}: no such command`];
  if (program === "cdktf" || program === "cdktn")
    return CDKTF.includes(subcommand!) ? [] : [`${program} ${subcommand}: no such command`];
  // Scripts in the folder of a project are those of the example.
  const places = ["node_modules/.bin", ".", "examples/pipelines"];
  if (TAKEN_FOR_GRANTED.has(program) || places.some((place) => existsSync(join(place, program)))) return [];
  return [`${program}: no such program`];
}

function ownFaults([name = "--help", ...args]: readonly string[], commands: ReadonlyMap<string, Command>): string[] {
  if (["--help", "--version", "help"].includes(name)) return [];
  const command = commands.get(name);
  if (!command) return [`cluster-platform ${name}: no such command`];
  const positional: string[] = [];
  const faults: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const [flag, attached] = args[index]!.split(/=(.*)/s) as [string, string?];
    if (!flag.startsWith("-") || flag === "-") positional.push(args[index]!);
    else {
      const option = command.options.find(({ short, long }) => flag === short || flag === long);
      if (!option) faults.push(`cluster-platform ${name} ${flag}: no such option`);
      else if (option.required) {
        const value = attached ?? args[++index];
        if (value === undefined) faults.push(`cluster-platform ${name} ${flag}: needs a value`);
        else if (option.argChoices && !option.argChoices.includes(value))
          faults.push(`cluster-platform ${name} ${flag}: not ${value}`);
      }
    }
  }
  const expected = command.registeredArguments;
  if (!expected.at(-1)?.variadic && positional.length > expected.length)
    faults.push(`cluster-platform ${name}: too many arguments`);
  for (const [index, { argChoices, required }] of expected.entries()) {
    if (required && positional[index] === undefined) faults.push(`cluster-platform ${name}: lacks an argument`);
    if (argChoices && positional[index] !== undefined && !argChoices.includes(positional[index]!)) {
      faults.push(`cluster-platform ${name}: not ${positional[index]}`);
    }
  }
  return faults;
}

/** The commands of a script as words, without assignments and redirections. Handles only the shell syntax of documentation. */
export function simpleCommands(code: string): string[][] {
  const script = code.replace(/\\\n/g, " ").replace(/<<'?(\w+)'?[\s\S]*?^\1$/gm, "");
  const token =
    /[ \t]*(?:(#[^\n]*)|(\n|&&|\|\||[|;&()])|([0-9]*[<>]+&?\s*[^\s|;&()]*)|((?:"(?:\\.|[^"])*"|'[^']*'|\\.|[^\s|;&()<>"'\\])+))/g;
  const commands: string[][] = [[]];
  for (const [, comment, separator, redirection, word] of script.matchAll(token)) {
    if (comment !== undefined || redirection !== undefined) continue;
    if (separator !== undefined) commands.push([]);
    else if (commands.at(-1)!.length > 0 || !/^\w+=/.test(word!)) commands.at(-1)!.push(word!.replace(/^(['"])(.*)\1$/s, "$2"));
  }
  return commands.filter((words) => words.length > 0);
}
