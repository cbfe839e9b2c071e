// A server is told to end while runs are under way: it gives all of them back, and the next one brings them to their end.
// KEELSON_RUNS=1000 does so with twenty runs at a time.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@keelson/routines";
import { startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { noWorker, resultsIn } from "../worker/world.ts";
import { databaseIn, request, serving, tokenFor } from "./serving.ts";

const RUNS = Number(process.env["KEELSON_RUNS"] ?? 0) >= 1_000 ? 20 : 4;

testUnless(noWorker, test)(
  `a server that ends gives back the ${RUNS} runs that it has, and none of them is lost or done twice`,
  async () => {
    using home = temporaryHome();
    let isHeld = true;
    await using model = await startMockModel(((body: any) => {
      if (resultsIn(body).length === 0)
        return { calls: [{ id: "call_1", name: "Bash", input: { command: "echo begun", description: "Begin" } }] };
      const report = { done: true, summary: "Looked", links: [] };
      return isHeld ? { hang: true } : { calls: [{ name: "StructuredOutput", input: report }] };
    }) as any);
    const args = ["--workers", String(RUNS)];
    const ids: string[] = [];
    {
      await using first = await serving({ home, model, args });
      for (let number = 0; number < RUNS; number++) {
        const routine = { name: `Routine ${number}`, prompt: "Look", permission_mode: "acceptEdits" };
        const { json: made } = await first.call("POST", "/v1/code/triggers", routine);
        ids.push((await first.call("POST", `/v1/code/triggers/${made.id}/run`, {})).json.id);
      }
      // Each of them waits for the model a second time.
      while (model.requests.filter(({ body }) => resultsIn(body).length === 1).length < RUNS) await Bun.sleep(50);
      first.program.kill("SIGTERM");
      expect(await first.program.done).toMatchObject({ code: 0, signal: null });
    }
    const store = await openSqliteStore({ file: databaseIn(home), unseal: async (sealed) => sealed });
    const given = await Promise.all(
      ids.map(async (id) => {
        const { state, attempt, failures, lost } = (await store.run(id))!;
        return { state, attempt, failures, lost, ends: (await store.attempts(id)).map(({ why }) => why) };
      }),
    );
    await store.close();
    expect(given).toEqual(
      ids.map(() => ({ state: "queued", attempt: 1, failures: 0, lost: 0, ends: ["released"] as const })),
    );
    expect([readdirSync(join(home.root, "w/work")), readdirSync(join(home.root, "w/private/runs"))]).toEqual([[], []]);

    isHeld = false;
    await using second = await serving({ home, model, args });
    for (const id of ids) {
      let run: any = {};
      while (run.state !== "succeeded" && run.state !== "failed") {
        run = (await second.call("GET", `/v1/runs/${id}`)).json;
        await Bun.sleep(50);
      }
      expect(run).toMatchObject({ state: "succeeded", outcome: { done: true } });
    }
    const begun = model.requests.filter(({ body }) => resultsIn(body).length === 0);
    expect(begun).toHaveLength(RUNS);
  },
);

testUnless(noWorker, test)(
  "an admin drains a worker: what it has goes on to its end, what comes goes to others, and it may have runs again",
  async () => {
    using home = temporaryHome();
    const held = Promise.withResolvers<void>();
    await using model = await startMockModel(async ({ messages }: any) => {
      if (JSON.stringify(messages).includes("The first")) await held.promise;
      return { calls: [{ name: "StructuredOutput", input: { done: true, summary: "Looked", links: [] } }] };
    });
    await using server = await serving({ home, model });
    const admin = await tokenFor(home, "Ada", "--scope", "admin");
    const asAdmin = (method: string, path: string, body?: object) => request(server.url, admin, method, path, body);
    const start = async (prompt: string): Promise<string> => {
      const { json: made } = await server.call("POST", "/v1/code/triggers", { name: "One", prompt });
      return (await server.call("POST", `/v1/code/triggers/${made.id}/run`, {})).json.id;
    };
    const runIs = async (id: string, state: string) => {
      for (;;) {
        const { json: run } = await server.call("GET", `/v1/runs/${id}`);
        if (run.state === state) return run;
        await Bun.sleep(50);
      }
    };
    const first = await start("The first");
    const { worker } = await runIs(first, "running");
    const drain = (drain: boolean) => ({ worker, drain });
    expect((await server.call("POST", "/v1/workers/drain", drain(true))).status).toBe(403);
    expect((await asAdmin("POST", "/v1/workers/drain", { worker: "none", drain: true })).status).toBe(404);
    expect(await asAdmin("POST", "/v1/workers/drain", drain(true))).toMatchObject({ status: 200, json: drain(true) });
    const workers = async () =>
      (await server.call("GET", "/v1/workers")).json.data.map(
        ({ name, draining, ends, drained_by_name: by, runs }: any) => [name, draining, ends, by, runs.length],
      );
    expect(await workers()).toEqual([[worker, true, false, "Ada", 1]]);

    const second = await start("The second");
    const args = ["--role", "worker", "--workers", "1", "--folder", join(home.root, "v")];
    await using other = startKeelson(["serve", ...args], { home, url: model.url });
    expect(await runIs(second, "succeeded")).toMatchObject({
      attempts: [{ worker: expect.not.stringMatching(worker) }],
    });
    held.resolve();
    expect(await runIs(first, "succeeded")).toMatchObject({ attempts: [{ worker, why: "succeeded" }] });
    expect(await workers()).toContainEqual([worker, true, false, "Ada", 0]);
    other.kill("SIGTERM");
    await other.done;

    const third = await start("The third");
    await asAdmin("POST", "/v1/workers/drain", drain(false));
    expect(await runIs(third, "succeeded")).toMatchObject({ attempts: [{ worker }] });
    const { data } = (await asAdmin("GET", "/v1/audit?limit=100")).json;
    const ofWorkers = data.filter(({ action }: any) => action.startsWith("worker."));
    expect(ofWorkers.map(({ action, target, detail }: any) => [action, target, detail])).toEqual(
      ["worker.undrain", "worker.drain"].map((action) => [action, worker, { fields: ["worker", "drain"] }]),
    );
    expect(data).toContainEqual(expect.objectContaining({ action: "refused", target: "POST /v1/workers/drain" }));
  },
);
