import { randomUUID } from "node:crypto";
import { readSynthesized } from "../synthesized/folder";
import type { Machine } from "../lifecycle/machine";
import { systemClock } from "../util/clock";
import { notesFolder } from "./notes-folder";
import { isPartial, isTest, terraformProcess } from "./terraform-process";

/** The machine that this process runs on. Terraform has started the process. */
export function thisMachine(): Machine {
  return {
    clock: systemClock,
    notes: notesFolder(),
    run: terraformProcess(),
    synthesized,
    newId: randomUUID,
    isTest,
    isPartial,
  };
}

function synthesized(): unknown {
  try {
    return readSynthesized(".");
  } catch {
    return undefined;
  }
}
