import { idOf, uidOf } from "./instances";
import type { Stage } from "./stage";
import type { Step } from "./steps";
import { movedByHand, type State } from "./terraform/state";
import type { Backend } from "./terraform/terraform";

/** What a person does to the state by hand before a run. */
export function editState(stage: Stage, { state, program }: Step, backend: Backend): void {
  if (!state) return;
  const address = stage.addressOf(program, state.name);
  const instance = backend.state.get(address);
  if (!instance) return;
  const after = new Map(backend.state);
  if (state.act === "mv") {
    const to = stage.addressOf(program, state.to);
    if (!backend.state.has(to)) write(backend, movedByHand(backend.state, address, to));
    return;
  }
  const judge = stage.judges[stage.homes.get(uidOf(instance)) ?? 0]!;
  if (state.act === "rm") {
    after.delete(address);
    judge.release(idOf(instance));
  } else {
    after.set(address, { ...instance, isTainted: state.act === "taint" });
    if (state.act === "untaint") {
      judge.accept(idOf(instance));
      if (!stage.isFollowing && !stage.services.some((service) => service.live(idOf(instance)!))) stage.untaintedMissing++;
    } else judge.taint(idOf(instance));
  }
  write(backend, after);
}

export function removeInstance(backend: Backend, address: string): void {
  const after = new Map(backend.state);
  after.delete(address);
  write(backend, after);
}

export function write(backend: Backend, state: State): void {
  backend.state = state;
  backend.serial++;
}
