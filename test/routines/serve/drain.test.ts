// A server is told to end while runs are under way: it gives all of them back, and the next one brings them to their end.
// KEELSON_RUNS=1000 does so with twenty runs at a time.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@keelson/routines";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { noWorker, resultsIn } from "../worker/world.ts";
import { databaseIn, serving } from "./serving.ts";

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
