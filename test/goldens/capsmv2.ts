import { clusterRules, endpointRules, labels, optionalTexts, providerRules, secrets } from "./common-rules";
import { textLists, texts, textsOrSecrets } from "./common-rules";
import { type TypeGolden, baseServices, secret, valueOf } from "./golden";

export const capsmv2: TypeGolden = {
  code: "capsmv2",

  provider: {
    minimal: {
      declaration: {
        name: "sm-main",
        sshUsername: "core",
        sshPrivateKey: secret("CAPSMV2_SSH_KEY"),
        hosts: [{ address: "10.5.0.1", labels: { role: "control-plane" } }, { address: "10.5.0.2" }],
      },
      body: {
        name: "sm-main",
        IPAddressPoolName: "",
        credentials: { SSH: { privateKey: valueOf("CAPSMV2_SSH_KEY"), userName: "core" } },
        hosts: [
          { address: "10.5.0.1", labelsSelector: { role: "control-plane" }, credentials: null },
          { address: "10.5.0.2", labelsSelector: {}, credentials: null },
        ],
      },
    },
    maximal: {
      declaration: {
        name: "sm-full",
        sshUsername: secret("CAPSMV2_SSH_USER"),
        sshPrivateKey: secret("CAPSMV2_SSH_KEY"),
        hosts: [
          { address: "10.5.1.1", labels: { role: "control-plane", "example.com/rack": "a1" } },
          {
            address: "2001:db8::5",
            labels: { role: "" },
            ssh: { username: "root", privateKey: secret("CAPSMV2_HOST_KEY") },
          },
          { address: "10.5.1.3" },
        ],
        ipAddressPoolName: "pool-c",
        credentialsVersion: 1,
        bodyOverrides: { infraProviderName: "metal" },
      },
      body: {
        name: "sm-full",
        IPAddressPoolName: "pool-c",
        credentials: { SSH: { privateKey: valueOf("CAPSMV2_SSH_KEY"), userName: valueOf("CAPSMV2_SSH_USER") } },
        hosts: [
          {
            address: "10.5.1.1",
            labelsSelector: { role: "control-plane", "example.com/rack": "a1" },
            credentials: null,
          },
          {
            address: "2001:db8::5",
            labelsSelector: { role: "" },
            credentials: { SSH: { privateKey: valueOf("CAPSMV2_HOST_KEY"), userName: "root" } },
          },
          { address: "10.5.1.3", labelsSelector: {}, credentials: null },
        ],
        infraProviderName: "metal",
      },
    },
    declared: {
      name: "sm-full",
      'hosts["10.5.1.1"].labels.role': "control-plane",
      'hosts["10.5.1.1"].labels["example.com/rack"]': "a1",
      'hosts["2001:db8::5"].labels.role': "",
      'hosts["2001:db8::5"].ssh.username': "root",
      'hosts["10.5.1.3"]': "",
      ipAddressPoolName: "pool-c",
      credentialsVersion: 1,
      "bodyOverrides.infraProviderName": '"metal"',
    },
    rejected: [
      ...providerRules,
      ...textsOrSecrets("sshUsername", "hosts[1].ssh.username"),
      ...secrets("sshPrivateKey", "hosts[1].ssh.privateKey"),
      ["hosts", [], "hold at least one host, got []"],
      ["hosts", { address: "10.5.0.1" }, `be a list of hosts, got {"address":"10.5.0.1"}`],
      ["hosts[0]", "10.5.0.1", `be { address, labels, ssh }, got "10.5.0.1"`],
      ["hosts[0].address", "node-1", `be an IP address, got "node-1"`],
      ["hosts[2].address", "10.5.1.1", `be unique, but 'hosts[0]' has it too, got "10.5.1.1"`],
      ["hosts[0].ssh", "root", `be { username, privateKey }, got "root"`],
      ...labels("hosts[0].labels"),
      ...optionalTexts("ipAddressPoolName"),
    ],
  },

  cluster: {
    minimal: {
      declaration: {
        name: "sm-prod",
        provider: "sm-main",
        apiEndpoint: "10.0.5.10",
        podSubnet: "10.244.0.0/16",
        serviceSubnet: "10.96.0.0/12",
        controlPlane: { count: 1, selector: { matchLabels: { role: "control-plane" } } },
        workers: [{ group: "default", count: 2, selector: {} }],
      },
      body: {
        cluster: {
          apiEndpoint: "10.0.5.10",
          clusterName: "sm-prod",
          controlPlaneNodesCount: 1,
          enabledServices: baseServices,
          externalKubeAPILB: false,
          externalingresslb: false,
          ingress: "",
          ingressvip: "",
          kubernetesVersion: null,
          podSubnet: "10.244.0.0/16",
          serviceSubnet: "10.96.0.0/12",
          secure: true,
          productVersion: "",
        },
        provider: {
          name: "sm-main",
          controlPlaneNodeConfig: {
            nodeConfig: { groupName: "control-plane", roles: [{ name: "node-role.kubernetes.io/control-plane" }] },
            controlPlaneSelector: { matchExpressions: [], matchLabels: { role: "control-plane" } },
          },
          workerNodeConfigs: [
            {
              nodeConfig: { groupName: "default", roles: [{ name: "node-role.kubernetes.io/workers" }] },
              workersCount: 2,
              workerSelector: { matchExpressions: [], matchLabels: {} },
            },
          ],
        },
      },
    },
    maximal: {
      declaration: {
        name: "sm-edge",
        provider: "sm-full",
        apiEndpoint: "10.0.5.20",
        podSubnet: "10.52.0.0/16",
        serviceSubnet: "10.53.0.0/16",
        productVersion: "1.6.1",
        kubernetesVersion: "v1.29.1",
        services: { enabled: [] },
        ingress: "apps.sm.example.com",
        ingressVip: "10.0.5.21",
        externalApiLoadBalancer: true,
        externalIngressLoadBalancer: true,
        secure: false,
        controlPlane: {
          count: 3,
          group: "masters",
          roles: ["control-plane", "workers"],
          selector: {
            matchLabels: { role: "control-plane" },
            matchExpressions: [{ key: "rack", operator: "In", values: ["a2", "a1"] }],
          },
        },
        workers: [
          {
            group: "gpu",
            count: 1,
            roles: ["example.com/gpu"],
            selector: {
              matchLabels: { "example.com/gpu": "yes" },
              matchExpressions: [
                { key: "old", operator: "DoesNotExist" },
                { key: "zone", operator: "NotIn", values: ["z1"] },
              ],
            },
          },
        ],
        bodyOverrides: { provider: { hall: "north" } },
      },
      body: {
        cluster: {
          apiEndpoint: "10.0.5.20",
          clusterName: "sm-edge",
          controlPlaneNodesCount: 3,
          enabledServices: [],
          externalKubeAPILB: true,
          externalingresslb: true,
          ingress: "apps.sm.example.com",
          ingressvip: "10.0.5.21",
          kubernetesVersion: "v1.29.1",
          podSubnet: "10.52.0.0/16",
          serviceSubnet: "10.53.0.0/16",
          secure: false,
          productVersion: "1.6.1",
        },
        provider: {
          name: "sm-full",
          hall: "north",
          controlPlaneNodeConfig: {
            nodeConfig: {
              groupName: "masters",
              roles: [{ name: "node-role.kubernetes.io/control-plane" }, { name: "node-role.kubernetes.io/workers" }],
            },
            controlPlaneSelector: {
              matchLabels: { role: "control-plane" },
              matchExpressions: [{ key: "rack", operator: "In", values: ["a2", "a1"] }],
            },
          },
          workerNodeConfigs: [
            {
              nodeConfig: { groupName: "gpu", roles: [{ name: "example.com/gpu" }] },
              workersCount: 1,
              workerSelector: {
                matchLabels: { "example.com/gpu": "yes" },
                matchExpressions: [
                  { key: "old", operator: "DoesNotExist" },
                  { key: "zone", operator: "NotIn", values: ["z1"] },
                ],
              },
            },
          ],
        },
      },
    },
    declared: {
      name: "sm-edge",
      provider: "sm-full",
      apiEndpoint: "10.0.5.20",
      podSubnet: "10.52.0.0/16",
      serviceSubnet: "10.53.0.0/16",
      productVersion: "1.6.1",
      kubernetesVersion: "v1.29.1",
      services: "only none",
      ingress: "apps.sm.example.com",
      ingressVip: "10.0.5.21",
      externalApiLoadBalancer: true,
      externalIngressLoadBalancer: true,
      secure: false,
      "controlPlane.count": 3,
      "controlPlane.group": "masters",
      "controlPlane.roles": "control-plane, workers",
      "controlPlane.selector.matchLabels.role": "control-plane",
      "controlPlane.selector.matchExpressions[0].key": "rack",
      "controlPlane.selector.matchExpressions[0].operator": "In",
      "controlPlane.selector.matchExpressions[0].values": "a1, a2",
      "workers.gpu.count": 1,
      "workers.gpu.roles": "example.com/gpu",
      'workers.gpu.selector.matchLabels["example.com/gpu"]': "yes",
      "workers.gpu.selector.matchExpressions[0].key": "old",
      "workers.gpu.selector.matchExpressions[0].operator": "DoesNotExist",
      "workers.gpu.selector.matchExpressions[1].key": "zone",
      "workers.gpu.selector.matchExpressions[1].operator": "NotIn",
      "workers.gpu.selector.matchExpressions[1].values": "z1",
      "bodyOverrides.provider.hall": '"north"',
    },
    rejected: [
      ...clusterRules,
      ...endpointRules,
      ["productVersion", "newest", `be a version of the form <major>.<minor>.<patch>, as in 1.28.3, or empty, got "newest"`],
      ["controlPlane.selector", undefined, "be { matchLabels, matchExpressions }, but is missing"],
      ["workers[0].selector", [], "be { matchLabels, matchExpressions }, got []"],
      ...labels("controlPlane.selector.matchLabels", "workers[0].selector.matchLabels"),
      ["controlPlane.selector.matchExpressions", {}, "be a list of expressions, got {}"],
      ["workers[0].selector.matchExpressions[0]", "a in b", `be { key, operator, values }, got "a in b"`],
      ...texts("controlPlane.selector.matchExpressions[0].key", "controlPlane.selector.matchExpressions[0].operator"),
      ...texts("workers[0].selector.matchExpressions[0].key", "workers[0].selector.matchExpressions[0].operator"),
      ...textLists("controlPlane.selector.matchExpressions[0].values", "workers[0].selector.matchExpressions[0].values"),
    ],
  },
};
