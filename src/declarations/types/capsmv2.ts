import { z } from "zod";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import type { ProviderType } from "../object-type";
import * as rules from "../rules";
import { keyedList } from "../structure";
import type { SecretReference } from "../../model/secret-reference";

const host = z.strictObject(
  {
    address: rules.ipAddress,
    labels: rules.labels.optional(),
    ssh: z.strictObject({ username: rules.textOrSecret, privateKey: rules.secret }, "be { username, privateKey }").optional(),
  },
  "be { address, labels, ssh }",
);

const hosts = keyedList("hosts", "address", z.array(host, "be a list of hosts").min(1, "hold at least one host"));

const credentials = (username: SecretReference | string, privateKey: SecretReference) => ({
  SSH: { userName: username, privateKey },
});

const node = {
  selector: z.strictObject(
    {
      matchLabels: rules.labels.optional(),
      matchExpressions: z
        .array(
          z.strictObject(
            { key: rules.text, operator: rules.text, values: rules.texts.optional() },
            "be { key, operator, values }",
          ),
          "be a list of expressions",
        )
        .optional(),
    },
    "be { matchLabels, matchExpressions }",
  ),
};

const selectorDefaults = () => ({ selector: { matchLabels: {}, matchExpressions: [] } });

export const capsmv2 = {
  code: "capsmv2",

  provider: providerObject({
    spec: {
      name: rules.name,
      sshUsername: rules.textOrSecret,
      sshPrivateKey: rules.secret,
      hosts,
      ipAddressPoolName: rules.optionalText.optional(),
    },
    defaults: (declared) => ({ ipAddressPoolName: "", hosts: declared.hosts.map(() => ({ labels: {} })) }),
    body: (spec) => ({
      name: spec.name,
      credentials: credentials(spec.sshUsername, spec.sshPrivateKey),
      hosts: spec.hosts.map(({ address, labels, ssh }) => ({
        address,
        labelsSelector: labels,
        // The interface shows "object or null". The object is assumed to have the form of the provider's credentials.
        credentials: ssh ? credentials(ssh.username, ssh.privateKey) : null,
      })),
      IPAddressPoolName: spec.ipAddressPoolName,
    }),
  }),

  cluster: clusterObject({
    controlPlane: node,
    worker: node,
    extra: { apiEndpoint: rules.ipAddress, productVersion: rules.optionalVersion.optional() },
    defaults: () => ({ productVersion: "" }),
    controlPlaneDefaults: selectorDefaults,
    workerDefaults: selectorDefaults,
    providerReference: "name",
    controlPlaneKey: "controlPlaneNodeConfig",
    controlPlaneNode: ({ selector }) => ({ controlPlaneSelector: selector }),
    workerNode: ({ selector }) => ({ workerSelector: selector }),
    clusterFields: (spec) => ({ apiEndpoint: spec.apiEndpoint }),
  }),
} satisfies ProviderType;
