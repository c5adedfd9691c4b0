import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backendsFor } from "../terraform/test-on-backends";
import { execute, type RunOptions } from "../terraform/workspace";
import { located, programs } from "./plugin-fixture";
import { bundleTiny, installTiny, removeFolder } from "./tiny-plugin";

const bundle = bundleTiny();
let folder: string;
const at = (name: string) => join(folder, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "");
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "plugin workspace "))));
afterEach(() => removeFolder(folder));
afterAll(() => removeFolder(bundle));

const REQUIRED = `
terraform {
  required_providers {
    tiny = { source = "tiny.invalid/test/tiny", version = "0.1.0" }
  }
}
`;
const configuration = (name: string, number: string) => `${REQUIRED}
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

test.each(backendsFor("the protocol", programs))(
  "the provider creates, reads, changes, replaces and deletes, with unknown values, secrets and every type, by $binary",
  async ({ binary }) => {
    const run = (args: readonly string[], options: RunOptions = {}) => {
      const env = { TF_CLI_CONFIG_FILE: at("cli.tfrc"), TINY_LOG: at("events"), ...options.env };
      return execute(located(binary), args, folder, env, options);
    };
    const apply = () => run(["apply", "-auto-approve", "-input=false"]);
    /** Exit code 0 without changes, 2 with changes. */
    const plan = (options?: RunOptions) => run(["plan", "-detailed-exitcode", "-input=false"], options);
    const declare = (name: string, number: string) => writeFileSync(at("main.tf"), configuration(name, number));
    const log = () => read("events").trim().split("\n");

    installTiny(bundle, folder);
    // Without the machine's CLI configuration, inside of a project of ES modules.
    writeFileSync(at("cli.tfrc"), "");
    writeFileSync(at("package.json"), '{ "type": "module" }');
    declare("one", "7");
    expect(await run(["init", "-input=false"])).toMatchObject({ status: 0 });
    const planned = await plan();
    expect(planned).toMatchObject({ status: 2 });
    expect(planned.output).toMatch(/\+ number\s+= \(known after apply\)/);
    expect(planned.output).toMatch(/\+ password\s+= \(sensitive value\)/);

    expect(await apply()).toMatchObject({ status: 0 });
    const { output } = await run(["output", "-json"], { quiet: true });
    expect(JSON.parse(output)).toMatchObject({ id: { value: "id of one" }, same: { value: true } });

    const again = await plan({ env: { TF_LOG_PROVIDER: "info" } });
    expect(again).toMatchObject({ status: 0 });
    // The private state of create is there, the configuration has arrived, and Terraform's log has the entry.
    expect(again.output).toMatch(/\[INFO\] +provider\.terraform-provider-tiny.*: reading:.*name=one/);
    expect(again.output).toMatch(/reading:.*made=here/);
    expect(again.output).toMatch(/reading:.*greeting="good morning"/);

    declare("one", "8.25");
    const changed = await apply();
    expect(changed.output).toContain("2 to change");
    expect(read("terraform.tfstate")).toMatch(/"number": ?8\.25/);

    declare("two", "8.25");
    const replaced = await apply();
    expect(replaced.output).toMatch(/~ name\s+= "one" -> "two" # forces replacement/);
    expect(log()).toEqual(["create one", "delete one", "create two"]);

    expect(await run(["destroy", "-auto-approve"])).toMatchObject({ status: 0 });
    expect(log()).toEqual(["create one", "delete one", "create two", "delete two"]);
  },
);
