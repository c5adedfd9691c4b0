import { RequestError, type ErrorCode } from "../model/errors";
import { instanceAddress, objectId } from "../contract/addresses";
import type { HookBlock, HookSettings } from "../contract/hook-protocol";
import { isProtected } from "../model/protection";

/** What to do about a request that did not succeed, where its error does not say so itself. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  CONTRACT:
    "Nothing is concluded from such an answer: check that the URL is that of the service, and what is on the way to it, and apply again",
  REJECTED: "The service refused it: correct what it names and apply again",
  CONFLICT: "Something is in the way: look at what the service has (cluster-platform get) and apply again",
  NOT_FOUND: "Check that the URL is that of the service, as in https://platform.example.com, and apply again",
  RATE_LIMITED: "Apply again later; the apply goes on from here",
  SERVICE_ERROR: "Apply again when the service is well; the apply goes on from here",
  UNREACHABLE: "Apply again when the service can be reached; the apply goes on from here",
  DEADLINE_EXCEEDED: "Apply again when the service answers; the apply goes on from here",
};

/** An error's message, and the way out. */
export function withAdvice(error: Error & { readonly code: ErrorCode }): string {
  const advice = error instanceof RequestError ? ADVICE[error.code] : undefined;
  if (advice === undefined) return error.message;
  return `${error.message}${error.message.endsWith("?") ? "" : "."} ${advice}`;
}

/** The commands that create anew what Terraform's state has and the service has not. What is protected cannot be replaced. */
export function recreating(settings: HookSettings, objects: readonly (HookBlock & { readonly name: string })[]): string {
  const instances = objects.map(({ type, kind, address, name }) => ({
    address: `'${instanceAddress(address, name)}'`,
    isKept: isProtected(settings, objectId(type, kind, name)),
  }));
  const kept = instances.filter(({ isKept }) => isKept).map(({ address }) => ` ${address}`);
  const others = instances.filter(({ isKept }) => !isKept).map(({ address }) => ` -replace=${address}`);
  const forgetting = kept.length > 0 ? `terraform state rm${kept.join("")}, then ` : "";
  return `${forgetting}terraform apply${others.join("")}`;
}
