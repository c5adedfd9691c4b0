import type { ServiceName, ServicesSpec } from "../declarations/services";

const SERVICES = Symbol.for("cdktf-cluster-platform.Services");

/** A platform service by its wire name: one that the interface lists, or any other that begins with `product-`. */
export type PlatformService = ServiceName | `product-${string}`;

/**
 * Which platform services a cluster gets. Presets travel by name, so a preset that grows with a release changes no
 * plan; an explicit list is compared as a set. Exactly one of the two wire lists is ever sent.
 */
export class Services {
  /** The base set: networking, DNS, certificates, storage, updates. Wire: `enabledServices`. */
  static base(): Services {
    return new Services({ preset: "base" });
  }

  /** Every service that the interface lists. Wire: `enabledServices`. */
  static all(): Services {
    return new Services({ preset: "all" });
  }

  /** Only what a cluster cannot do without; the service decides what that is. Wire: `disabledServices: ["all"]`. */
  static criticalOnly(): Services {
    return new Services({ preset: "criticalOnly" });
  }

  /** Exactly these. Wire: `enabledServices`. */
  static only(...names: PlatformService[]): Services {
    return new Services({ enabled: names });
  }

  /** All that the service has, but not these; the interface shows no such request, only `all`. Wire: `disabledServices`. */
  static allBut(...names: PlatformService[]): Services {
    return new Services({ disabled: names });
  }

  /** Whether `value` is a choice of services, also one of another copy of this package. */
  static isServices(value: unknown): value is Services {
    return typeof value === "object" && value !== null && SERVICES in value;
  }

  private readonly [SERVICES] = true;
  /** @internal */
  readonly _spec: ServicesSpec;

  private constructor(spec: ServicesSpec) {
    this._spec = spec;
  }
}
