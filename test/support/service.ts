import type { InjectedFault, Simulator } from "../../src/simulator";

/** The environment that Terraform and its hooks need for a service. */
export function accessTo({ url, token }: Simulator): { CLUSTER_PLATFORM_URL: string; CLUSTER_PLATFORM_TOKEN: string } {
  return { CLUSTER_PLATFORM_URL: url, CLUSTER_PLATFORM_TOKEN: token };
}

/** The events of the service in order, such as `+prod` and `-prod`. */
export function happenedOn({ events }: Simulator): string[] {
  return events.map(({ action, name }) => `${action === "created" ? "+" : "-"}${name}`);
}

/** All writes to the service, such as `POST /api/v1/…`. */
export function writesTo({ requests }: Simulator): string[] {
  return requests.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}

/** Both lists stay as they are until the returned function is called. */
export async function freezeLists(simulator: Simulator): Promise<() => void> {
  const headers = { authorization: `Bearer ${simulator.token}` };
  const faults: InjectedFault[] = [];
  for (const path of ["/api/v1/clusters", "/api/v1/platform/providers"]) {
    const body: unknown = await (await fetch(simulator.url + path, { headers })).json();
    faults.push(simulator.inject({ kind: "status", status: 200, body, method: "GET", path }));
  }
  return () => faults.forEach((fault) => fault.cancel());
}
