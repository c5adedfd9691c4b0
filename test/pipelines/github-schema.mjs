import { readFileSync } from "node:fs";
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";

/** One error per line. */
for (const name of process.argv.slice(2)) {
  const { context, value } = parseWorkflow({ name, content: readFileSync(name, "utf8") }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  for (const error of context.errors.getErrors()) console.log(`${name}: ${error.message}`);
}
