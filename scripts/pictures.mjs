import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";
import { terraformBinary } from "./terraform-binary.mjs";

/**
 * Writes docs/pictures: the comment of `review` as a browser shows it, and `get clusters --watch` while clusters become ready. Both
 * are real output, of the real Terraform and the embedded service.
 */
const root = resolve(import.meta.dirname, "..");
const folder = join(root, ".cache/pictures");
const stack = join(folder, "cdktf.out/stacks/production");
const pictures = join(root, "docs/pictures");
const LARGEST_BYTES = 80_000;
const browser = required(["chromium", "chromium-browser", "google-chrome"]);
const quantizer = required(["pngquant"]);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
mkdirSync(pictures, { recursive: true });
const env = {
  ...process.env,
  CLUSTER_PLATFORM_TOKEN: "token-of-the-pictures",
  VSPHERE_USERNAME: "svc-clusters",
  VSPHERE_PASSWORD: "a-password-that-nobody-sees",
  CHECKPOINT_DISABLE: "1",
  NO_COLOR: "1",
  TSX_TSCONFIG_PATH: join(root, "tsconfig.json"),
};
const command = (...args) => [process.execPath, join(root, "dist/cli/main.js"), ...args];

const service = spawn(...split(command("simulator", "--port", "0", "--provision-seconds", "4")), { env });
process.on("exit", () => service.kill());
env.CLUSTER_PLATFORM_URL = await urlOf(service);

const terraform = terraformBinary();
const apply = [terraform, "apply", "-auto-approve", "-input=false"];
synth("first");
run([terraform, "init", "-input=false"], stack);
run(apply, stack);
const watch = ["get", "clusters", "--watch", "--interval", "1.5"];
const watching = spawn(...split(command(...watch)), { env });
const watched = textOf(watching);
synth("second");
run(apply, stack);
watching.kill("SIGINT");
picture("watch", 1180, terminal(`npx cluster-platform ${watch.join(" ")}`, await watched));

synth("changed");
run([terraform, "plan", "-input=false", "-out=plan"], stack);
const DENIED = 2;
const comment = run(command("review", "plan", "--format", "markdown"), stack, DENIED);
const html = micromark(comment, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
// GitHub has these blocks in addition to GFM.
picture("review", 900, page(html.replace(/<blockquote>\n<p>\[!(\w+)\]\n/g, "<blockquote><p><b>$1</b></p><p>")));

service.kill();

/** The first of these programs that this machine has. */
function required(names) {
  const found = names.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0);
  if (found !== undefined) return found;
  console.error(`${names.join(" or ")} is not on the PATH. On Debian: apt-get install chromium fonts-noto-color-emoji pngquant`);
  process.exit(1);
}

function synth(step) {
  run([process.execPath, "--import", "tsx", join(root, "scripts/pictures/main.ts")], folder, 0, { STEP: step });
}

function run([program, ...args], cwd, expected = 0, more = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: { ...env, ...more }, encoding: "utf8" });
  if (status !== expected) throw new Error(`${program} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

function split([program, ...args]) {
  return [program, args];
}

async function urlOf({ stdout }) {
  for await (const text of stdout) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(text)) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the embedded service did not start");
}

async function textOf({ stdout }) {
  let text = "";
  for await (const part of stdout) text += String(part);
  return text;
}

function picture(name, width, html) {
  const file = join(folder, `${name}.html`);
  const target = join(pictures, `${name}.png`);
  writeFileSync(file, html);
  const shoot = (...args) =>
    run([browser, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-lcd-text", ...args, `file://${file}`], folder);
  const [, height] = /data-height="(\d+)"/.exec(shoot(`--window-size=${width},100`, "--dump-dom"));
  shoot(`--window-size=${width},${height}`, `--screenshot=${target}`);
  run([quantizer, "--force", "--ext", ".png", "--nofs", "32", target], folder);
  const { size } = statSync(target);
  if (size > LARGEST_BYTES) throw new Error(`${relative(root, target)} has ${size} bytes, at most ${LARGEST_BYTES} are allowed`);
  console.log(`wrote ${relative(root, target)}, ${Math.ceil(size / 1000)} kB`);
}

/** In the look of a comment on GitHub. */
function page(body) {
  return documentOf("comment", `<article>${body}</article>`);
}

function terminal(line, output) {
  const escaped = `$ ${line}\n${output.trimEnd()}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return documentOf("terminal", `<header><i></i><i></i><i></i></header><pre>${escaped}</pre>`);
}

function documentOf(kind, body) {
  const style = readFileSync(join(root, "scripts/pictures/style.css"), "utf8");
  const measure = "document.documentElement.dataset.height = Math.ceil(document.body.getBoundingClientRect().height)";
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><body class="${kind}">${body}</body><script>${measure}</script>`;
}
