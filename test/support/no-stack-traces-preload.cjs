/** Preloaded into a process without jest with `node --require`: does there what no-stack-traces.cjs does in jest. */
const from = process.getBuiltinModule("node:module").createRequire(__filename);
const { captureStackTrace } = from("./no-stack-traces.cjs");
from("../../node_modules/cdktf/lib/tokens/private/stack-trace.js").captureStackTrace = captureStackTrace;
