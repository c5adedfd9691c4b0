import { readFileSync } from "node:fs";
import { join } from "node:path";
import satisfies from "semver/functions/satisfies";
import { terraformPrograms } from "../report/terraform-programs";
import { type CheckResult, doubtful, good, wrong } from "./check-result";
import { ask, type Answer, excerpt } from "./run-program";
import type { Stack } from "./stack";

/** The stacks rely on a behaviour of terraform_data that older versions do not have. */
const OLDEST = { Terraform: "1.5", OpenTofu: "1.6" } as const;
const VERSION = /(Terraform|OpenTofu) v(\S+)/;

/** Checks Terraform or OpenTofu: without a choice, the first of the two that works. */
export async function* terraform(chosen: string | undefined, env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  const candidates = terraformPrograms(chosen);
  let broken: CheckResult | undefined;
  for (const program of candidates) {
    const answer = await ask(program, ["version"], { env: { ...env, CHECKPOINT_DISABLE: "1" } });
    if (answer === undefined) continue;
    const [text, product, version] = answer.failure === undefined ? (VERSION.exec(answer.output) ?? []) : [];
    if (text === undefined) {
      broken ??= silent(program, "version", answer);
      continue;
    }
    const oldest = OLDEST[product as keyof typeof OLDEST];
    yield atLeast(version!, oldest)
      ? good(program, text)
      : wrong(program, `${text}, but the minimum version is ${oldest}: install a newer one`);
    return;
  }
  yield (
    broken ??
    wrong(
      candidates.join(" or "),
      "not on the PATH: install Terraform 1.5 (https://developer.hashicorp.com/terraform/install) or OpenTofu 1.6 (https://opentofu.org/docs/intro/install), or newer",
    )
  );
}

/** The hooks run the `node` of the PATH, which may be another one than runs this command. */
export async function* nodeOnPath(env: NodeJS.ProcessEnv): AsyncGenerator<CheckResult> {
  const oldest = oldestNode();
  const answer = await ask("node", ["--version"], { env });
  if (answer === undefined) {
    yield wrong("node", `not on the PATH, but Terraform runs the hooks with it: install Node.js ${oldest} or newer`);
    return;
  }
  const [, version] = /^v(\d\S*)/.exec(answer.failure === undefined ? answer.output : "") ?? [];
  if (version === undefined) yield silent("node", "--version", answer);
  else if (atLeast(version, oldest)) yield good("node", version);
  else yield wrong("node", `${version}, but the minimum version is ${oldest}: put a newer one on the PATH of Terraform`);
}

/** HCP Terraform and its backend `remote` run plan and apply on machines of their own, unless the workspace says otherwise. */
export function* nodeInHcpTerraform({ synthesized, connections }: Stack): Generator<CheckResult> {
  const { backend = {}, cloud } = (synthesized as { terraform?: Backends } | null)?.terraform ?? {};
  if (connections.length === 0 || (cloud === undefined && !("remote" in backend))) return;
  yield doubtful(
    "HCP Terraform",
    "its machines have no Node.js, which runs the hooks or the Terraform provider of this package: set the workspace's execution mode to local, or run an agent that has Node.js",
  );
}

interface Backends {
  readonly backend?: Readonly<Record<string, unknown>>;
  readonly cloud?: unknown;
}

function silent(program: string, argument: string, { output, failure }: Answer): CheckResult {
  return wrong(program, `does not print its version (${excerpt(failure ?? output)}): run '${program} ${argument}' to see why`);
}

function oldestNode(): string {
  const manifest = readFileSync(join(__dirname, "../../../package.json"), "utf8");
  return (JSON.parse(manifest) as { engines: { node: string } }).engines.node.replace(/^>=/, "");
}

/** Whether a version is `oldest` or newer. A pre-release of `oldest` counts. */
function atLeast(version: string, oldest: string): boolean {
  return satisfies(version, `>=${oldest}`, { includePrerelease: true, loose: true });
}
