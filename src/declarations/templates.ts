import { z } from "zod";
import * as rules from "./rules";
import { keyedList } from "./structure";

/** Machine images with their Kubernetes versions. */
export const templates = keyedList(
  "templates",
  "template",
  z
    .array(
      z.strictObject({ template: rules.text, kubeVersion: rules.kubeVersion }, "be { template, kubeVersion }"),
      "be a list of templates",
    )
    .min(1, "hold at least one template"),
);
