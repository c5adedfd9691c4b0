import type { Row } from "../row";

export const memory: Row = {
  name: "peak memory of each of the above, the largest in MiB",
  goal: "stated",
  async measure({ peaks }) {
    if (peaks.size === 0) return { ratio: null, details: ["not measured: it needs GNU time as /usr/bin/time"] };
    return {
      ratio: Math.max(...peaks.values()),
      details: [...peaks].map(([what, mib]) => `${mib.toFixed(0)} MiB: ${what}`),
    };
  },
};
