import { flag } from "../api/connection";
import { baseUrlOf, baseUrlProblem } from "../model/base-url";
import { ConfigurationError } from "../model/errors";
import { idOf, parseObjectId, type ObjectRef } from "../model/object-ref";

/** What a person says about one run, in its environment. */
export interface RunSettings {
  /** Objects to adopt if the service has them, as `type/kind/name`. */
  readonly adoptions: ReadonlySet<string>;
  readonly gone: AcceptedGone;
  /**
   * Earlier base URLs of the service, in the form of {@link baseUrlOf}. States of the Terraform provider that name one of them
   * mean the service of this run.
   */
  readonly formerUrls: readonly string[];
}

/** @throws INVALID_SETTING */
export function readRunSettings(env: NodeJS.ProcessEnv): RunSettings {
  return {
    adoptions: readAdoptions(env),
    gone: readGoneAccepted(env),
    formerUrls: readFormerUrls(env),
  };
}

function readAdoptions(env: NodeJS.ProcessEnv): ReadonlySet<string> {
  const ids = listed(env.CLUSTER_PLATFORM_ADOPT);
  const wrong = ids.find((id) => parseObjectId(id) === undefined);
  if (wrong === undefined) return new Set(ids);
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: 'CLUSTER_PLATFORM_ADOPT' must be ids of objects such as capvs/clusters/prod, separated by commas, got ${JSON.stringify(wrong)}; nothing was sent`,
  );
}

/** What a person says is gone from the service, for one run. */
export class AcceptedGone {
  /**
   * @param all whether every missing object counts as gone
   * @param ids objects that must be gone: the run deletes none of them, even if they live
   */
  constructor(
    readonly all = false,
    private readonly ids: ReadonlySet<string> = new Set(),
  ) {}

  includes(object: ObjectRef): boolean {
    return this.all || this.names(object);
  }

  names(object: ObjectRef): boolean {
    return this.ids.has(idOf(object));
  }
}

function readGoneAccepted(env: NodeJS.ProcessEnv): AcceptedGone {
  const name = "CLUSTER_PLATFORM_ACCEPT_GONE";
  const ids = listed(env[name]);
  const outcome = "nothing was deleted";
  const values = "1, 0 or ids of objects such as capvs/clusters/prod, separated by commas";
  // A list of ids may be misspelled, so its ids must be those of objects.
  if (!ids.some((id) => id.includes("/"))) return new AcceptedGone(flag(env, name, outcome, values));
  const wrong = ids.find((id) => parseObjectId(id) === undefined);
  if (wrong === undefined) return new AcceptedGone(false, new Set(ids));
  throw new ConfigurationError(
    "INVALID_SETTING",
    `environment: '${name}' must be ${values}, got ${JSON.stringify(wrong)}; ${outcome}`,
  );
}

/** @throws INVALID_SETTING */
export function readFormerUrls(env: NodeJS.ProcessEnv): readonly string[] {
  return listed(env.CLUSTER_PLATFORM_FORMER_URL).map((text) => {
    const problem = baseUrlProblem(text);
    if (problem === undefined) return baseUrlOf(new URL(text));
    throw new ConfigurationError(
      "INVALID_SETTING",
      `environment: 'CLUSTER_PLATFORM_FORMER_URL' must ${problem}; nothing was sent`,
    );
  });
}

/** As for a shell, before a command. */
export function acceptingGone(objects: readonly ObjectRef[]): string {
  return `CLUSTER_PLATFORM_ACCEPT_GONE=${objects.map(idOf).join(",")}`;
}

function listed(text = ""): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
