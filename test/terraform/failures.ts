import { Engine } from "../../src/constructs/engine";
import type { Failure } from "./matrix-row";

const once = { times: 1 };

/** The failures in test/world/tables.md. */
export const failures: readonly Failure[] = [
  {
    title: "the write is answered with 500",
    timeouts: { deleteSeconds: 2 },
    inject: ({ simulator }, { write }) => void simulator.inject({ kind: "status", status: 500, method: write }),
  },
  {
    title: "the write is carried out, its answer lost",
    inject: ({ simulator }, { write }) => void simulator.inject({ kind: "drop", when: "after", method: write, ...once }),
  },
  {
    title: "looks are answered with 503, three times",
    inject: ({ simulator }) => void simulator.inject({ kind: "status", status: 503, method: "GET", times: 3 }),
  },
  {
    title: "the write is answered with 429 and `Retry-After`, once",
    inject: ({ simulator }, { write }) =>
      void simulator.inject({ kind: "status", status: 429, retryAfterSeconds: 1, method: write, ...once }),
  },
  {
    title: "the write hangs until its time is over",
    timeouts: { requestSeconds: 1, createSeconds: 3, deleteSeconds: 3 },
    inject: ({ simulator }, { write }) => void simulator.inject({ kind: "hang", method: write }),
  },
  {
    title: "the write is carried out, its answer garbage",
    inject: ({ simulator }, { write }) => void simulator.inject({ kind: "garbage", when: "after", method: write, ...once }),
  },
  {
    title: "a proxy answers the write with its 404 page",
    // The provider was registered moments ago, so the create retries after a refusal.
    timeouts: { createSeconds: 2, deleteSeconds: 2 },
    inject: ({ simulator }, { write }) => void simulator.inject({ kind: "html", status: 404, method: write }),
  },
  {
    title: "a proxy answers everything with its 200 page",
    onProvider: "fails the plan",
    inject: ({ simulator }) => void simulator.inject({ kind: "html", status: 200 }),
  },
  {
    title: "the list of clusters is not complete",
    onProvider: "fails the plan",
    inject: ({ simulator }) => void simulator.inject({ kind: "partial-list", method: "GET" }),
  },
  {
    title: "the cluster never becomes ready",
    timeouts: { readySeconds: 1 },
    inject: ({ simulator }) => void (simulator.timing.provisionSeconds = 100_000),
  },
  {
    title: "the name is taken before",
    onProvider: "fails the plan",
    inject: ({ foreigners, simulator }, { write, name }) => {
      const own = simulator.clusters.some((cluster) => cluster.name === name);
      if (write === "POST" && !own) foreigners.add(name);
    },
  },
  {
    title: "the name is taken after the look",
    inject: (row, { write, name }) => {
      let taken = false;
      row.simulator.onRequest = ({ method }) => {
        if (method !== "POST" || write !== "POST" || taken) return;
        taken = true;
        row.contested.add(name);
        row.foreigners.add(name);
      };
    },
  },
  {
    title: "the hook or the plugin is killed before the write",
    onProvider: "kills the plugin",
    inject: (row, { name }) => {
      let killed = false;
      let lists = 0;
      row.simulator.onRequest = async ({ path }) => {
        if (path === "/api/v1/clusters") lists++;
        // With the provider engine, the plan requests this list once.
        if (row.engine === Engine.PROVIDER && lists < 2) return;
        killed ||= await row.kill(name);
      };
    },
  },
  {
    title: "the hook or the plugin is killed after the write",
    onProvider: "kills the plugin",
    inject: (row, { write, name }) => {
      let killed = false;
      row.simulator.onResponse = async ({ method }) => {
        if (method === write) killed ||= await row.kill(name);
      };
    },
  },
];
