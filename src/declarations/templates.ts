import * as z from "zod/mini";
import * as rules from "./rules";
import { keyedList } from "./structure";

/** Machine images with their Kubernetes versions. */
export const templates = keyedList(
  "templates",
  "template",
  z
    .array(
      z.strictObject({ template: rules.text, kubernetesVersion: rules.kubeVersion }, "be { template, kubernetesVersion }"),
      "be a list of templates",
    )
    .check(z.minLength(1, "hold at least one template")),
);

/** The templates of a body. */
export const templateBodies = (all: readonly { readonly template: string; readonly kubernetesVersion: string }[]) =>
  all.map(({ template, kubernetesVersion }) => ({ template, kubeVersion: kubernetesVersion }));
