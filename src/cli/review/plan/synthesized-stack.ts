import { blockId, declarationsLocalId, instanceAddress, platformPrefix } from "../../../contract/addresses";
import { singular, type JsonObject, type TypeCode } from "../../../model/provider-type";
import { requiredSecrets, type RequiredSecret } from "../../../synthesized/required-secrets";
import type { SynthesizedObject } from "../../../synthesized/objects";
import { templatesIn, TYPED_KINDS, withoutEscapes } from "../../../terraform/template-text";
import { objectsIn } from "../../report/json-values";
import { provisionersIn, type Edge, type Provisioner } from "./configuration";
import { blocksOf } from "../../../recognition/configuration-blocks";
import { type Reference, referencesIn } from "./references";

interface CreatedObject {
  readonly platform: string;
  readonly kind: "provider" | "cluster";
  readonly type: TypeCode;
  readonly name: string;
}

/** The parts of a synthesized stack that its plan does not show. */
export class SynthesizedStack {
  readonly #synthesized: JsonObject;

  constructor(synthesized: JsonObject) {
    this.#synthesized = synthesized;
  }

  /** @param address as in `null_resource.capvs_clusters`. Undefined if the stack has no such block */
  provisionersOf(address: string): readonly Provisioner[] | undefined {
    const [type = "", name = ""] = address.split(".");
    const resources = (this.#synthesized.resource as JsonObject | undefined)?.[type] as JsonObject | undefined;
    const [block] = resources && Object.hasOwn(resources, name) ? objectsIn(resources[name]) : [];
    return block && provisionersIn(block);
  }

  /** The path of the construct that declares the object. */
  pathOf({ prefix, type, kind, name }: Pick<SynthesizedObject, "prefix" | "type" | "kind" | "name">): string | undefined {
    const id = blockId(prefix, type, kind);
    try {
      const [literal, withTokens] = [declarationsLocalId(id, "literal"), declarationsLocalId(id, "with tokens")].map((local) => {
        const declarations = (this.#synthesized.locals as JsonObject | undefined)?.[local] as JsonObject | undefined;
        return declarations && Object.hasOwn(declarations, name) ? declarations[name] : undefined;
      });
      const { path } = (typeof literal === "string" ? JSON.parse(literal) : withoutEscapes(withTokens)) as JsonObject;
      return typeof path === "string" ? path : undefined;
    } catch {
      // A forged declaration has no path.
      return undefined;
    }
  }

  /** What the locals of the stack refer to. */
  dependenciesOfLocals(): Edge[] {
    return blocksOf({ locals: this.#synthesized.locals }).flatMap(({ address, body }) =>
      templatesIn(body)
        .flatMap(referencesIn)
        .map((reference) => ({ dependent: address, on: nodeOf(reference) })),
    );
  }

  secretsOf(created: readonly CreatedObject[]): RequiredSecret[] {
    const keyOf = (prefix: string, type: string, kind: string, name: string) => [prefix, type, kind, name].join("/");
    const needed = new Set(created.map(({ platform, type, kind, name }) => keyOf(platformPrefix(platform), type, kind, name)));
    const isNeeded = ({ prefix, type, kind, name }: SynthesizedObject) => needed.has(keyOf(prefix, type, singular(kind), name));
    try {
      return requiredSecrets(this.#synthesized, isNeeded);
    } catch {
      // The declarations of a forged stack may be no JSON. They are foreign then.
      return [];
    }
  }
}

/** The element that an expression refers to. A data source has three parts. */
export function nodeOf({ block, key, attribute }: Reference): string {
  if (TYPED_KINDS.has(block.split(".")[0]!)) return `${block}.${attribute}`;
  return key === undefined ? block : instanceAddress(block, key);
}
