import * as z from "zod/mini";
import * as rules from "../../declarations/rules";
import { clusterRequest, templates, type SimulatedType } from "./simulated-type";

const nodeFields = {
  caposNodeConfig: z.strictObject({ openstackFlavorName: z.string(), volumeType: z.string(), volumeSize: z.int() }),
};

export const capos: SimulatedType = {
  provider: z.strictObject({
    name: z.string(),
    cloudName: z.string(),
    cloudconfig: z.strictObject({
      config: z.strictObject({
        // The interface does not define the login fields. Stacks send them with `bodyOverrides`.
        auth: z.catchall(
          z.strictObject({
            auth_url: rules.httpUrl,
            project_id: z.string(),
            user_domain_name: z.string(),
            project_domain_id: z.string(),
          }),
          z.string(),
        ),
        auth_type: z.string(),
        region_name: z.string(),
        interface: z.string(),
        identity_api_version: z.string(),
        verify: z.boolean(),
      }),
    }),
    externalNetworkID: z.string(),
    nodeCIDR: rules.cidr,
    managedSecurityGroups: z.string(),
    sshKeyName: z.string(),
    flavors: z.array(z.string()),
    volumeTypes: z.array(z.string()),
    templates: templates,
    templateNetInterface: z.string(),
  }),
  cluster: clusterRequest("providerName", "controlplaneNodeConfig", {
    cluster: {},
    provider: {},
    controlPlaneNode: nodeFields,
    workerNode: nodeFields,
  }),
};
