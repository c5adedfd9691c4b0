import { allServices, baseServices } from "../goldens/golden";

/** The service's replies for the minimal provider and cluster of a type's golden, written by hand from the interface. */
export interface ExpectedReplies {
  /** The reply to the registration. */
  readonly providerCreated: unknown;
  /** The entry in the list of providers (section 2.1). */
  readonly config: unknown;
  /** The reply to the creation of the cluster (section 2.10 or 2.14). */
  readonly clusterCreated: unknown;
  /** The entry in the list of clusters when it is Provisioned, without conditions and annotations (section 2.10). */
  readonly listed: unknown;
}

const flat = {
  annotations: null,
  networks: [
    { type: "PodSubnet", network: "10.244.0.0/16", netmask: "" },
    { type: "ServiceSubnet", network: "10.96.0.0/12", netmask: "" },
  ],
  ingress: "",
  secure: true,
  phase: "",
  conditions: null,
  workersGroups: null,
};

const listed = {
  networks: [
    { type: "Service CIDR", network: "10.96.0.0/12", netmask: "" },
    { type: "Pod CIDR", network: "10.244.0.0/16", netmask: "" },
  ],
  ingress: "",
  secure: true,
  phase: "Provisioned",
};

const nested = {
  apiEndpoint: "",
  ingress: "",
  ingressvip: "",
  externalingresslb: false,
  secure: true,
  externalKubeAPILB: false,
  controlPlaneNodesCount: 3,
  podSubnet: "10.244.0.0/16",
  serviceSubnet: "10.96.0.0/12",
  productVersion: "1.5.0",
  enabledServices: baseServices,
};

const config = (name: string, ...kubeVers: string[]) => ({
  name,
  kubeVers,
  allowEditCSI: false,
  IPAddressPoolName: "",
  IPAddressPoolAvailableCount: 0,
});

const group = (groupName: string, workersCount: number) => ({ groupName, workersScale: null, workersCount });

const templates = (template: string) => [{ template, kubeVersion: "v1.28.3" }];

const anAddress: unknown = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+:\d+$/);

const controlPlane = { groupName: "control-plane", roles: [{ name: "node-role.kubernetes.io/control-plane" }] };
const workers = { groupName: "default", roles: [{ name: "node-role.kubernetes.io/workers" }] };

export const expectedReplies: Record<string, ExpectedReplies> = {
  capvs: {
    providerCreated: {
      identityName: "vs-main",
      provider: {
        managerAddress: "vcenter.example.com:443",
        user: "",
        passwd: "",
        thumbprint: expect.stringMatching(/^([0-9A-F]{2}:)+[0-9A-F]{2}$/),
        datacenter: "/DC1",
        datastore: "ssd-1",
        storagePolicyName: "",
        cloneMode: "linkedClone",
        folder: "/DC1/vm/clusters",
        network: "/DC1/network/vm-net",
        template: [{ key: "ubuntu-2204-k8s-1.28.3", value: "v1.28.3" }],
        templateNetInterface: "ens192",
        resourcePool: "/DC1/host/C1/Resources/k8s",
        allowEditCSI: false,
        IPAddressPoolName: "",
      },
      ready: false,
    },
    config: config("vs-main", "v1.28.3"),
    clusterCreated: {
      ...flat,
      id: "vs-prod",
      clusterName: "vs-prod",
      providerType: "capvs",
      providerConfigID: "vs-main",
      apiEndpoint: "10.0.1.10",
      controlplaneNodesCount: 3,
    },
    listed: {
      ...listed,
      id: "vs-prod",
      clusterName: "vs-prod",
      providerType: "capvs",
      providerConfigID: "vs-main",
      apiEndpoint: "10.0.1.10:6443",
      controlplaneNodesCount: 3,
      workersGroups: [group("default", 2), group("infra", 0)],
    },
  },

  capov: {
    providerCreated: {
      name: "ov-main",
      cluster: "Default",
      VNICProfile: "vm-net",
      allowEditCSI: false,
      VMType: "server",
      templateNetInterface: "enp1s0",
      connection: {
        url: "https://engine.example.com/ovirt-engine/api",
        user: "admin@internal",
        passwd: "value of CAPOV_PASSWORD",
        tls: { cert: false, insecure: false },
      },
      templates: templates("ubuntu-k8s"),
      datacenter: "DC1",
      csistorageDomainName: "data",
      IPAddressPoolName: "",
      infraProviderName: "",
    },
    config: config("ov-main", "v1.28.3"),
    clusterCreated: {
      ...flat,
      id: "ov-prod",
      clusterName: "ov-prod",
      providerType: "capov",
      providerConfigID: "ov-main",
      apiEndpoint: "10.0.2.10",
      controlplaneNodesCount: 3,
    },
    listed: {
      ...listed,
      id: "ov-prod",
      clusterName: "ov-prod",
      providerType: "capov",
      providerConfigID: "ov-main",
      apiEndpoint: "10.0.2.10:6443",
      controlplaneNodesCount: 3,
      workersGroups: [group("default", 2)],
    },
  },

  capbd: {
    providerCreated: {
      name: "bd-main",
      accountName: "team-a",
      rgName: "rg-1",
      templateNetInterface: "ens3",
      connection: {
        decordUrl: "https://controller.example.com",
        ssoUrl: "https://sso.example.com",
        appId: "app-1",
        appSecret: "value of CAPBD_APP_SECRET",
        skipSSLVerification: false,
      },
      templates: templates("ubuntu-k8s"),
      extNetName: "ext-1",
      vinsName: "vins-1",
      haLoadBalancer: false,
    },
    config: config("bd-main", "v1.28.3"),
    clusterCreated: {
      ...flat,
      id: "bd-prod",
      clusterName: "bd-prod",
      providerType: "capbd",
      providerConfigID: "bd-main",
      apiEndpoint: "10.0.3.10",
      controlplaneNodesCount: 3,
    },
    listed: {
      ...listed,
      id: "bd-prod",
      clusterName: "bd-prod",
      providerType: "capbd",
      providerConfigID: "bd-main",
      apiEndpoint: "10.0.3.10:6443",
      controlplaneNodesCount: 3,
      workersGroups: [group("default", 2)],
    },
  },

  capos: {
    providerCreated: {
      name: "os-main",
      cloudName: "openstack",
      templateNetInterface: "ens3",
      cloudconfig: {
        config: {
          auth: {
            auth_url: "https://keystone.example.com:5000/v3",
            project_id: "0f1e2d",
            user_domain_name: "Default",
            project_domain_id: "default",
          },
          auth_type: "password",
          region_name: "RegionOne",
          interface: "public",
          identity_api_version: "3",
          verify: true,
        },
      },
      templates: templates("ubuntu-k8s"),
      externalNetworkID: "net-1",
      sshKeyName: "ops",
      flavors: ["m1.large", "m1.xlarge"],
      volumeTypes: ["ssd"],
      nodeCIDR: "10.6.0.0/24",
      managedSecurityGroups: "true",
    },
    config: config("os-main", "v1.28.3"),
    clusterCreated: {
      ...flat,
      id: "os-prod",
      clusterName: "os-prod",
      providerType: "capos",
      providerConfigID: "os-main",
      apiEndpoint: "",
      controlplaneNodesCount: 3,
    },
    listed: {
      ...listed,
      id: "os-prod",
      clusterName: "os-prod",
      providerType: "capos",
      providerConfigID: "os-main",
      apiEndpoint: anAddress,
      controlplaneNodesCount: 3,
      workersGroups: [group("default", 2)],
    },
  },

  capsmv2: {
    providerCreated: {
      name: "sm-main",
      hosts: [
        { address: "10.5.0.1", labelsSelector: { role: "control-plane" }, credentials: null },
        { address: "10.5.0.2", labelsSelector: {}, credentials: null },
      ],
      credentials: { SSH: { userName: "core", privateKey: "" } },
      IPAddressPoolName: "",
      infraProviderName: "",
    },
    config: config("sm-main"),
    clusterCreated: {
      ...flat,
      id: "sm-prod",
      clusterName: "sm-prod",
      providerType: "productv2",
      providerConfigID: "",
      apiEndpoint: "10.0.5.10",
    },
    listed: {
      ...listed,
      id: "sm-prod",
      clusterName: "sm-prod",
      providerType: "productv2",
      providerConfigID: "sm-main",
      apiEndpoint: "10.0.5.10:6443",
      controlplaneNodesCount: 1,
      workersGroups: [group("default", 2)],
    },
  },

  capyc: {
    providerCreated: {
      identityName: "yc-main",
      connectInfo: { key: "" },
      templateNetInterface: "",
      templates: templates("fd8image"),
      folderID: "b1gfolder",
      networkID: "enpnet",
      subnetID: "e9bsub",
      zoneID: "zone-a",
      volumeTypes: ["network-ssd"],
      loadBalancerType: "ALB",
      loadBalancerInternal: false,
      allowedPlatformIDs: ["standard-v3"],
    },
    config: config("yc-main", "v1.28.3"),
    clusterCreated: {
      cluster: { ...nested, clusterName: "yc-prod" },
      provider: {
        providerName: "yc-main",
        controlplaneNodeConfig: {
          nodeConfig: controlPlane,
          capycNodeConfig: {
            cpuCores: 4,
            memorySize: "8Gi",
            platformID: "standard-v3",
            volumeType: "network-ssd",
            volumeSize: "60Gi",
          },
        },
        workerNodeConfigs: [
          {
            nodeConfig: workers,
            workersCount: 2,
            workersScale: null,
            capycNodeConfig: {
              cpuCores: 8,
              memorySize: "16Gi",
              platformID: "standard-v3",
              volumeType: "network-ssd",
              volumeSize: "100Gi",
            },
          },
        ],
      },
      CreatedByUser: expect.any(String),
    },
    listed: {
      ...listed,
      id: "yc-prod",
      clusterName: "yc-prod",
      providerType: "capyc",
      providerConfigID: "yc-main",
      apiEndpoint: anAddress,
      controlplaneNodesCount: 3,
      workersGroups: [group("default", 2)],
    },
  },

  capcd: {
    providerCreated: {
      name: "cd-main",
      connectInfo: {
        site: "https://director.example.com",
        org: "org-1",
        username: "svc",
        password: "value of CAPCD_PASSWORD",
        refreshToken: "",
      },
      ovdc: "ovdc-1",
      network: "net-1",
      vipSubnet: "",
      catalog: "images",
      templates: templates("ubuntu-k8s"),
      placementPolicy: "",
      sizingPolicies: ["small", "large"],
      allowEditCSI: false,
      IPAddressPoolName: "",
    },
    config: config("cd-main", "v1.28.3"),
    clusterCreated: {
      cluster: {
        ...nested,
        clusterName: "cd-prod",
        clusterConfigProfileName: "",
        disabledServices: allServices.filter((name) => !baseServices.includes(name)),
        ingressCert: "",
        ingressKey: "",
        cacert: "",
        cakey: "",
        acmeRootCert: "",
        ACMEURL: "",
        mgmtCluster: false,
      },
      provider: {
        identityName: "cd-main",
        enableCSI: true,
        kubeAPIVIPSubnet: "10.0.7.0/24",
        serviceVIPSubnet: "",
        controlplaneNodeConfig: { nodeConfig: controlPlane, capcdNodeConfig: { diskSize: "60Gi", sizingPolicy: "small" } },
        workerNodeConfigs: [
          {
            nodeConfig: workers,
            workersCount: 2,
            workersScale: null,
            capcdNodeConfig: { diskSize: "100Gi", sizingPolicy: "large" },
          },
        ],
      },
      CreatedByUser: expect.any(String),
    },
    listed: {
      ...listed,
      id: "cd-prod",
      clusterName: "cd-prod",
      providerType: "capcd",
      providerConfigID: "cd-main",
      apiEndpoint: anAddress,
      controlplaneNodesCount: 3,
      workersGroups: [group("default", 2)],
    },
  },
};
