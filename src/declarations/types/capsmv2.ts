import * as z from "zod/mini";
import { clusterObject } from "../cluster-object";
import { providerObject } from "../provider-object";
import { providerType } from "../object-type";
import * as rules from "../rules";
import { keyedList } from "../structure";
import type { SecretReference } from "../../model/secret-reference";

const host = z.strictObject(
  {
    address: rules.ipAddress,
    labels: z.optional(rules.labels),
    ssh: z.optional(z.strictObject({ username: rules.textOrSecret, privateKey: rules.secret }, "be { username, privateKey }")),
  },
  "be { address, labels, ssh }",
);

const hosts = keyedList("hosts", "address", z.array(host, "be a list of hosts").check(z.minLength(1, "hold at least one host")));

const credentials = (username: SecretReference | string, privateKey: SecretReference) => ({
  SSH: { userName: username, privateKey },
});

const node = {
  selector: z.strictObject(
    {
      matchLabels: z.optional(rules.labels),
      matchExpressions: z.optional(
        z.array(
          z.strictObject(
            { key: rules.text, operator: rules.text, values: z.optional(rules.texts) },
            "be { key, operator, values }",
          ),
          "be a list of expressions",
        ),
      ),
    },
    "be { matchLabels, matchExpressions }",
  ),
};

const selectorDefaults = () => ({ selector: { matchLabels: {}, matchExpressions: [] } });

export const capsmv2 = providerType({
  code: "capsmv2",

  provider: () =>
    providerObject({
      spec: {
        name: rules.name,
        sshUsername: rules.textOrSecret,
        sshPrivateKey: rules.secret,
        hosts,
        ipAddressPoolName: z.optional(rules.optionalText),
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

  cluster: () =>
    clusterObject({
      controlPlane: node,
      worker: node,
      extra: { apiEndpoint: rules.ipAddress, productVersion: z.optional(rules.optionalVersion) },
      defaults: () => ({ productVersion: "" }),
      controlPlaneDefaults: selectorDefaults,
      workerDefaults: selectorDefaults,
      providerReference: "name",
      controlPlaneKey: "controlPlaneNodeConfig",
      controlPlaneNode: ({ selector }) => ({ controlPlaneSelector: selector }),
      workerNode: ({ selector }) => ({ workerSelector: selector }),
      clusterFields: (spec) => ({ apiEndpoint: spec.apiEndpoint }),
    }),
});
