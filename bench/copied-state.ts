import { nthCluster } from "./fleet";
import type { State } from "./stack";

/**
 * The state of a fleet with more clusters: copies of what the state has of the cluster `sample`. Terraform copies the whole state
 * for every object of an apply, so an apply of 3,000 objects takes minutes.
 */
export function withCopies({ resources, ...state }: State, sample: number, others: readonly number[]): State {
  const { name } = nthCluster(sample);
  const andCopies = <Entry>(entry: Entry, ofSample: boolean): Entry[] =>
    ofSample ? [entry, ...others.map((index) => copied(entry, sample, index))] : [entry];
  return {
    ...state,
    resources: resources
      .map((block) => ({
        ...block,
        instances: block.instances.flatMap((instance) => andCopies(instance, instance.index_key === name)),
      }))
      .flatMap((block) => andCopies(block, block.name.includes(name))),
  };
}

/** A copy of a JSON value about a cluster, for another cluster. */
export function copied<Json>(value: Json, from: number, to: number): Json {
  const [sample, copy] = [nthCluster(from), nthCluster(to)];
  const text = JSON.stringify(value).replaceAll(sample.name, copy.name).replaceAll(sample.apiEndpoint, copy.apiEndpoint);
  return JSON.parse(text) as Json;
}
