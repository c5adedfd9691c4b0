import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAtLeast } from "../support/tools";
import { backendsFor } from "../terraform/test-on-backends";
import { execute, type Outcome, type RunOptions } from "../terraform/workspace";
import { located, programs } from "./plugin-fixture";
import { bundleTiny, installTiny, removeFolder } from "./tiny-plugin";

const WRITE_ONLY = { terraform: 11, openTofu: 11 };

const bundle = bundleTiny();

afterAll(() => removeFolder(bundle));

describe.each(backendsFor("the protocol", programs))("by $binary", ({ binary }) => {
  class Workspace {
    readonly folder = mkdtempSync(join(tmpdir(), "plugin workspace "));
    readonly events = join(this.folder, "events");

    static async play(act: (workspace: Workspace) => Promise<void>): Promise<void> {
      const workspace = new Workspace();
      try {
        await act(workspace);
      } finally {
        removeFolder(workspace.folder);
      }
    }

    async init(): Promise<this> {
      installTiny(bundle, this.folder);
      // Without the machine's CLI configuration, inside of a project of ES modules.
      writeFileSync(join(this.folder, "cli.tfrc"), "");
      writeFileSync(join(this.folder, "package.json"), '{ "type": "module" }');
      this.write("");
      expect(await this.run(["init", "-input=false"])).toMatchObject({ status: 0 });
      return this;
    }

    write(configuration: string): void {
      const head = `
terraform {
  required_providers {
    tiny = { source = "tiny.invalid/test/tiny", version = "0.1.0" }
  }
}
`;
      writeFileSync(join(this.folder, "main.tf"), head + configuration);
    }

    run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
      const env = { TF_CLI_CONFIG_FILE: join(this.folder, "cli.tfrc"), TINY_LOG: this.events, ...options.env };
      return execute(located(binary), args, this.folder, env, options);
    }

    apply(options?: RunOptions): Promise<Outcome> {
      return this.run(["apply", "-auto-approve", "-input=false", ...(options?.args ?? [])], options);
    }

    /** Exit code 0 without changes, 2 with changes. */
    async plan(options?: RunOptions): Promise<Outcome> {
      return this.run(["plan", "-detailed-exitcode", "-input=false"], options);
    }

    async outputs(): Promise<Record<string, unknown>> {
      const { output } = await this.run(["output", "-json"], { quiet: true });
      const outputs = Object.entries(JSON.parse(output) as Record<string, { value: unknown }>);
      return Object.fromEntries(outputs.map(([name, { value }]) => [name, value]));
    }

    state(): string {
      const file = join(this.folder, "terraform.tfstate");
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    }

    log(): string[] {
      return existsSync(this.events) ? readFileSync(this.events, "utf8").trim().split("\n") : [];
    }
  }

  test.concurrent("the provider creates, reads, changes, replaces and deletes, with unknown values, secrets and every type", () =>
    Workspace.play(async (workspace) => {
      await workspace.init();
      const configuration = (name: string, number: string) => `
provider "tiny" {
  greeting = terraform_data.known_later.output
}
resource "terraform_data" "known_later" {
  input = "good morning"
}
resource "terraform_data" "number" {
  input = ${number}
}
resource "tiny_thing" "it" {
  name     = "${name}"
  number   = terraform_data.number.output
  flag     = true
  tags     = ["b", "a", "a"]
  labels   = { "with \\"quotes\\" and $\${}" = "1", "🦜" = "2" }
  anything = { list = [1, "two", 0.1, null, 12345678901234567890123] }
  password = "hunter2"
}
data "tiny_echo" "all" {
  input = { tags = tiny_thing.it.tags, anything = tiny_thing.it.anything, number = 1e100, text = "é" }
}
output "same" {
  value = data.tiny_echo.all.input == data.tiny_echo.all.output
}
output "id" {
  value = tiny_thing.it.id
}
`;
      workspace.write(configuration("one", "7"));
      const planned = await workspace.plan();
      expect(planned).toMatchObject({ status: 2 });
      expect(planned.output).toMatch(/\+ number\s+= \(known after apply\)/);
      expect(planned.output).toMatch(/\+ password\s+= \(sensitive value\)/);

      expect(await workspace.apply()).toMatchObject({ status: 0 });
      expect(await workspace.outputs()).toEqual({ id: "id of one", same: true });

      const again = await workspace.plan({ env: { TF_LOG_PROVIDER: "info" } });
      expect(again).toMatchObject({ status: 0 });
      // The private state of create is there, the configuration has arrived, and Terraform's log has the entry.
      expect(again.output).toMatch(/\[INFO\] +provider\.terraform-provider-tiny.*: reading:.*name=one/);
      expect(again.output).toMatch(/reading:.*made=here/);
      expect(again.output).toMatch(/reading:.*greeting="good morning"/);

      workspace.write(configuration("one", "8.25"));
      const changed = await workspace.apply();
      expect(changed.output).toContain("2 to change");
      expect(workspace.state()).toMatch(/"number": ?8\.25/);

      workspace.write(configuration("two", "8.25"));
      const replaced = await workspace.apply();
      expect(replaced.output).toMatch(/~ name\s+= "one" -> "two" # forces replacement/);
      expect(workspace.log()).toEqual(["create one", "delete one", "create two"]);

      expect(await workspace.run(["destroy", "-auto-approve"])).toMatchObject({ status: 0 });
      expect(workspace.log()).toEqual(["create one", "delete one", "create two", "delete two"]);
    }),
  );

  test.concurrent("a write-only argument reaches the provider and is stored nowhere, or is refused", () =>
    Workspace.play(async (workspace) => {
      await workspace.init();
      workspace.write(`
resource "tiny_thing" "it" {
  name = "one"
  key  = { a = { env = "KEY" }, b = { value_wo = "wo-secret" } }
}
output "bytes" {
  value = tiny_thing.it.key_bytes
}
`);
      const planned = await workspace.run(["plan", "-input=false", "-out=plan"]);
      if (isAtLeast(binary, WRITE_ONLY)) {
        expect(planned).toMatchObject({ status: 0 });
        expect(execFileSync("unzip", ["-p", "plan", "tfplan"], { cwd: workspace.folder }).includes("wo-secret")).toBe(false);
        expect(await workspace.apply()).toMatchObject({ status: 0 });
        expect(await workspace.outputs()).toEqual({ bytes: 9 });
      } else {
        expect(planned).toMatchObject({ status: 1 });
        expect(planned.output).toContain("Error: Write-only arguments need Terraform 1.11 or OpenTofu 1.11");
        expect(planned.output).toMatch(/on main\.tf line \d+, in resource "tiny_thing" "it":/);
        expect(planned.output).toContain('value_wo = "wo-secret"');
        expect(await workspace.apply()).toMatchObject({ status: 1 });
      }
      expect(workspace.state()).not.toContain("wo-secret");
    }),
  );

  test.concurrent("messages and errors of handlers are shown, and everything else continues", () =>
    Workspace.play(async (workspace) => {
      await workspace.init();
      workspace.write(`
resource "tiny_thing" "negative" {
  name   = "negative"
  number = -1
}
`);
      const invalid = await workspace.run(["validate"]);
      expect(invalid.output).toMatch(/Error: number must not be negative\s+with tiny_thing\.negative,\s+on main\.tf line 10/);

      const things = (trouble: string) => `
resource "tiny_thing" "good" {
  name    = "good"
  trouble = "protected"
}
resource "tiny_thing" "bad" {
  name     = "bad"
  password = "hunter2"
  trouble  = "${trouble}"
}
`;
      workspace.write(things("create throws"));
      const failed = await workspace.apply();
      expect(failed).toMatchObject({ status: 1 });
      expect(failed.output.replace(/\s+/g, " ")).toContain(
        "Error: This is a bug in the provider tiny. Please report it: boom, and the password is [hidden] with tiny_thing.bad",
      );
      expect(failed.output).not.toContain("hunter2");
      expect(workspace.state()).toContain('"id of good"');
      expect(workspace.state()).not.toContain('"bad"');

      workspace.write(things("none"));
      expect((await workspace.apply()).output).toContain("1 added, 0 changed, 0 destroyed");
      const refused = await workspace.run(["plan", "-destroy"]);
      expect(refused).toMatchObject({ status: 1 });
      expect(refused.output).toContain("Error: [TINY_REFUSED] the thing is protected");
    }),
  );

  test.concurrent("Ctrl-C stops with a complete state, and Terraform survives the death of the plugin", () =>
    Workspace.play(async (workspace) => {
      await workspace.init();
      workspace.write('resource "tiny_thing" "it" {\n  name = "one"\n  trouble = "create waits"\n}\n');
      const interrupted = await workspace.apply({
        started: ({ pid }) =>
          void when(
            () => workspace.log().includes("waiting"),
            // Like a terminal, signals every process.
            () => [...pluginsOf(pid!), pid!].forEach((each) => process.kill(each, "SIGINT")),
          ),
      });
      expect(interrupted.output).toContain("Error: [TINY_REFUSED] interrupted");
      expect(workspace.log()).toEqual(["create one", "waiting", "stopping", "finished"]);
      expect(workspace.state()).not.toContain("tiny_thing");

      writeFileSync(workspace.events, "");
      const killed = await workspace.apply({
        started: ({ pid }) =>
          void when(
            () => workspace.log().includes("waiting"),
            () => pluginsOf(pid!).forEach((plugin) => process.kill(plugin, "SIGKILL")),
          ),
      });
      expect(killed).toMatchObject({ status: 1 });
      expect(killed.output).toMatch(/Error: (Plugin did not respond|Request cancelled)/);

      workspace.write('resource "tiny_thing" "it" {\n  name = "one"\n}\n');
      expect((await workspace.apply()).output).toContain("1 added, 0 changed, 0 destroyed");
    }),
  );

  test.concurrent("the plugin starts with any preloads in NODE_OPTIONS, and says what is missing without Node.js", () =>
    Workspace.play(async (workspace) => {
      await workspace.init();
      workspace.write('resource "tiny_thing" "it" {\n  name = "one"\n}\n');
      const preload = join(workspace.folder, "preload.cjs");
      writeFileSync(preload, 'console.log("hello from a preloaded module");');
      const env = { NODE_OPTIONS: `--require=${JSON.stringify(preload)}` };
      expect((await workspace.apply({ env })).output).toContain("1 added");

      const withoutNode = await workspace.plan({ env: { PATH: "/nothing-here" } });
      expect(withoutNode).toMatchObject({ status: 1 });
      expect(withoutNode.output.replace(/[\s│]+/g, " ")).toContain(
        "The provider needs Node.js, and there is no 'node' on the PATH (/nothing-here). Install Node.js, or extend the PATH.",
      );
    }),
  );

  test.concurrent("an existing object is imported", () =>
    Workspace.play(async (workspace) => {
      await workspace.init();
      workspace.write('resource "tiny_thing" "it" {\n  name = "one"\n}\nimport {\n  to = tiny_thing.it\n  id = "one"\n}\n');
      expect((await workspace.apply()).output).toContain("1 imported, 0 added, 0 changed, 0 destroyed");
      expect(workspace.state()).toContain('"id of one"');
    }),
  );
});

async function when(holds: () => boolean, act: () => void): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
  act();
}

function pluginsOf(terraform: number): number[] {
  const children = execFileSync("ps", ["-A", "-o", "ppid=,pid="], { encoding: "utf8" }).trim().split("\n");
  return children
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([parent, pid]) => (parent === terraform ? [pid!] : []));
}
