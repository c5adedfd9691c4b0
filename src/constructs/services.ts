import type { ServiceName, ServicesSpec } from "../declarations/services";

const SERVICES = Symbol.for("cdktf-cluster-platform.Services");

/** The wire name of a platform service: one that the interface lists, or any other name that begins with `product-`. */
export type PlatformService = ServiceName | `product-${string}`;

/**
 * The platform services of a cluster. A plan has the name of a preset and not its services, so a preset that grows with a release
 * changes no plan. The order of an explicit list does not matter. A request has exactly one of the two wire lists.
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

  /** Only the critical services. The service decides which services are critical. Wire: `disabledServices: ["all"]`. */
  static criticalOnly(): Services {
    return new Services({ preset: "criticalOnly" });
  }

  /** Exactly the given services. Wire: `enabledServices`. */
  static only(...names: PlatformService[]): Services {
    return new Services({ enabled: names });
  }

  /** All services except the given ones. The interface shows only `all` in this list, no names. Wire: `disabledServices`. */
  static allBut(...names: PlatformService[]): Services {
    return new Services({ disabled: names });
  }

  /** Whether `value` is an instance of {@link Services}. It may come from another copy of this package. */
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
