// A fleet: a server without workers on PostgreSQL, and a worker elsewhere that has a token and no address of the database.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { startCluster, type Cluster } from "../store/cluster.ts";
import { noWorker } from "../worker/world.ts";
import { request } from "./serving.ts";

let cluster: Cluster | undefined;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(async () => cluster?.[Symbol.asyncDispose]());

const REPORT = { done: true, summary: "Looked", links: [] };
const works = ({ messages }: any) =>
  JSON.stringify(messages).includes("tool_result")
    ? { calls: [{ name: "StructuredOutput", input: REPORT }] }
    : { calls: [{ name: "Bash", input: { command: "env; cat /proc/*/environ" } }] };

testUnless(noWorker, test)(
  "a server on PostgreSQL and a worker with a token perform a run, and each token fits one of the two",
  async () => {
    if (cluster === undefined) return;
    using home = temporaryHome();
    using elsewhere = temporaryHome();
    await using model = await startMockModel(works);
    const database = await cluster.database();
    const db = { KEELSON_SERVE_DB: database };
    const tokenOf = async (...args: string[]) => {
      const { code, stdout, stderr } = await runKeelson(["serve", "token", ...args], { home, env: db });
      expect([code, stderr]).toEqual([0, ""]);
      return stdout.trim();
    };
    const [token, workers] = [await tokenOf("me"), await tokenOf("rack", "--scope", "worker")];
    const server = startKeelson(["serve", "--port", "0", "--role", "api"], { home, env: db });
    const url = /http:\S+/.exec(
      (await server.waitForLine((_, { text }) => text.startsWith("Routines are at"))).text,
    )![0];
    // A second server on the same database, at the same time.
    const second = startKeelson(["serve", "--port", "0", "--role", "api"], { home, env: db });
    const other = /http:\S+/.exec(
      (await second.waitForLine((_, { text }) => text.startsWith("Routines are at"))).text,
    )![0];

    for (const [held, path] of [
      [token, "/v1/worker/claim"],
      [workers, "/v1/code/triggers"],
      [workers, "/v1/openapi.json"],
    ] as const)
      expect([
        path,
        (
          await request(
            url,
            held,
            path.startsWith("/v1/w") ? "POST" : "GET",
            path,
            path.startsWith("/v1/w") ? {} : undefined,
          )
        ).status,
      ]).toEqual([path, 401]);

    const worker = startKeelson(["serve", "--role", "worker", "--server", url, "--folder", join(elsewhere.root, "w")], {
      home: elsewhere,
      url: model.url,
      env: { KEELSON_WORKER_TOKEN: workers },
    });
    const routine = { name: "Nightly", prompt: "Look", permission_mode: "acceptEdits" };
    const { json: made } = await request(url, token, "POST", "/v1/code/triggers", routine, {
      "Idempotency-Key": "one",
    });
    expect(
      (await request(other, token, "POST", "/v1/code/triggers", routine, { "Idempotency-Key": "one" })).json.id,
    ).toBe(made.id);
    for (const value of ["\0", "\ud800"])
      expect(
        (await request(url, token, "PATCH", `/v1/code/triggers/${made.id}`, { more: value, prompt: "Look" })).status,
      ).toBe(200);
    const { json: started } = await request(other, token, "POST", `/v1/code/triggers/${made.id}/run`, {
      text: "a\0b\ud800",
    });
    let run: any = {};
    while (run.state !== "succeeded" && run.state !== "failed")
      run = (await request(url, token, "GET", `/v1/runs/${started.id}`)).json;
    expect(run).toMatchObject({ state: "succeeded", outcome: REPORT });
    const said = JSON.stringify(model.requests.map(({ body }) => body));
    for (const secret of [workers, token, database]) expect(said).not.toContain(secret);

    for (const program of [worker, second, server]) {
      program.kill("SIGTERM");
      expect(await program.done).toMatchObject({ code: 0 });
    }
  },
);
