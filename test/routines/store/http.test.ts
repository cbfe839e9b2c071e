// The server's end of the store of workers: who may use it, and what it refuses.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHttpStore, openSqliteStore, StoreUnavailable, type RunStore } from "@keelson/routines";
import { claimOne } from "./conformance.ts";
import { newRoutine, newRun } from "./rows.ts";
import { serveWorkers, WORKER_TOKEN, type WorkerServer } from "./worker-server.ts";

const folder = mkdtempSync(join(tmpdir(), "keelson-worker-http-"));
let store: RunStore;
let served: WorkerServer;
beforeAll(async () => {
  store = await openSqliteStore({ file: join(folder, "http.db") });
  served = serveWorkers(store);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function post(name: string, body: object | string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${served.url}/v1/worker/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${WORKER_TOKEN}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { readonly error?: { readonly type: string; readonly message: string } };
  return { status: response.status, answer };
}

const random = () => crypto.randomUUID();
const claimOf = (claim: string) => ({ worker: "w", leaseMs: 1_000, token: claim });

test.each([
  ["no token", { Authorization: "" }, 401],
  ["another token", { Authorization: "Bearer not-the-token-of-a-worker" }, 401],
  ["another kind of sign-in", { Authorization: `Basic ${WORKER_TOKEN}` }, 401],
  ["a page of another site", { Origin: "https://evil.example" }, 403],
  ["another name of the server", { Host: "evil.example" }, 421],
] as const)("%s: refused, and nothing is claimed", async (_, headers, status) => {
  const { id } = await store.createRoutine(newRoutine());
  const { run } = await store.enqueue({ run: newRun(id) });
  const refused = await post("claim", claimOf(random()), headers);
  expect(refused.status).toBe(status);
  expect((await store.run(run!.id))!.attempt).toBe(0);
  await store.cancel(run!.id, { reason: "The test is over" });
});

test("who has no token is refused before the body is sent", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: served.port,
    socket: { data: (_, bytes) => resolve(new TextDecoder().decode(bytes)) },
  });
  const head = [
    "POST /v1/worker/append HTTP/1.1",
    `Host: 127.0.0.1:${served.port}`,
    "Content-Type: application/json",
    "Content-Length: 10000000",
    "Authorization: Bearer not-the-token-of-a-worker",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{`);
  expect(await promise).toStartWith("HTTP/1.1 401 ");
  socket.end();
});

test.each([
  ["claim", {}, '"worker"'],
  ["claim", claimOf("guess"), "random UUID"],
  ["claim", claimOf("00000000-0000-0000-0000-000000000000"), "random UUID"],
  ["claim", { ...claimOf(random()), leaseMs: 0 }, "leaseMs"],
  ["claim", { ...claimOf(random()), leaseMs: 1e9 }, "leaseMs"],
  ["claim", { ...claimOf(random()), leaseMs: 1.5 }, "integer"],
  ["claim", { ...claimOf(random()), extra: 1 }, '"extra"'],
  ["append", { runId: "r", claim: random(), entries: [{ seq: 1, kind: "other", line: "" }] }, "kind"],
  ["append", { runId: { $ne: 1 }, claim: random(), entries: [] }, "string"],
  ["ask", { runId: "r", claim: random(), questions: [] }, "1 to 100"],
  ["ask", { runId: "r", claim: random(), questions: [{ id: "q", request: {}, expiresInMs: -1 }] }, "expiresInMs"],
  ["finish", { runId: "r", claim: random(), state: "queued" }, "state"],
  ["wake", { waitMs: 10_000_000 }, "waitMs"],
  ["effect", { kinds: ["a"], leaseMs: 1, token: "x" }, "random UUID"],
  ["claim", "not json", "JSON object"],
] as const)("%s with %j is refused with a reason", async (name, body, reason) => {
  const { status, answer } = await post(name, body);
  expect(status).toBe(400);
  expect(answer.error?.message).toContain(reason);
});

test("a worker has nothing of what servers do", async () => {
  for (const name of ["enqueue", "tick", "answer", "cancel", "expel", "sweep", "runs", "users", "tokens"])
    expect((await post(name, {})).status).toBe(404);
});

test("a body that is too large is refused", async () => {
  const line = "x".repeat(17 * 1024 * 1024);
  const { status } = await post("append", {
    runId: "r",
    claim: random(),
    entries: [{ seq: 1, kind: "message", line }],
  });
  expect(status).toBe(413);
});

test("one token does not get two runs, and another's claim is no use without its token", async () => {
  const { id } = await store.createRoutine(newRoutine());
  const { run } = await store.enqueue({ run: newRun(id) });
  const worker = openHttpStore({ url: served.url, token: WORKER_TOKEN });
  const { claim } = await claimOne({ worker });
  const { status, answer } = await post("finish", { runId: run!.id, claim: random(), state: "succeeded" });
  expect({ status, answer }).toEqual({ status: 200, answer: { held: false, state: "running", reason: null } as never });
  expect(await worker.finish({ runId: run!.id, claim }, { state: "succeeded" })).toEqual({ held: true });
  await worker.close();
});

test("what comes with an end is one request with it: no worker can die between the result and the end", async () => {
  const asked: string[] = [];
  await using at = serveWorkers(store, { lose: (path) => asked.push(path) < 0 });
  const { id } = await store.createRoutine(newRoutine());
  const { run } = await store.enqueue({ run: newRun(id) });
  const worker = openHttpStore({ url: at.url, token: WORKER_TOKEN });
  const { claim } = await claimOne({ worker });
  asked.length = 0;
  const entries = [{ seq: 1, kind: "message", line: '{"type":"result"}' }] as const;
  const held = { runId: run!.id, claim };
  expect(await worker.finish(held, { state: "succeeded", entries })).toEqual({ held: true });
  expect(asked).toEqual(["/v1/worker/finish"]);
  expect((await store.entries(run!.id, 0, 10)).map(({ line }) => line)).toEqual(['{"type":"result"}']);
  // Its answer was lost.
  expect(await worker.finish(held, { state: "succeeded", entries })).toEqual({ held: true });
  expect(await store.entries(run!.id, 0, 10)).toHaveLength(1);
  // Who has lost the run leaves nothing.
  const late = [{ seq: 2, kind: "message", line: '{"type":"result"}' }] as const;
  expect(await worker.finish({ ...held, claim: random() }, { state: "succeeded", entries: late })).toMatchObject({
    held: false,
  });
  expect(await store.entries(run!.id, 0, 10)).toHaveLength(1);
  await worker.close();
});

test("the token goes to nobody who could read it on the way, and to no other server", async () => {
  expect(() => openHttpStore({ url: "http://routines.example", token: "t" })).toThrow("must begin with https://");
  const asked: string[] = [];
  await using other = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      asked.push(request.url);
      return new Response();
    },
  });
  await using redirecting = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.redirect(other.url.href, 307),
  });
  const worker = openHttpStore({ url: redirecting.url.href, token: WORKER_TOKEN });
  await expect(worker.claim({ worker: "w", leaseMs: 1 })).rejects.toThrow('The server refuses "claim"');
  expect(asked).toEqual([]);
  await worker.close();
});

test("a token that is not valid is an error at once; a server that is gone, after a while", async () => {
  const worker = openHttpStore({ url: served.url, token: "a-token-that-was-revoked" });
  await expect(worker.claim({ worker: "w", leaseMs: 1 })).rejects.toThrow("does not accept the token of this worker");
  const port = served.port;
  await served[Symbol.asyncDispose]();
  const late = openHttpStore({ url: served.url, token: WORKER_TOKEN, giveUpMs: 100 });
  await expect(late.claim({ worker: "w", leaseMs: 1 })).rejects.toBeInstanceOf(StoreUnavailable);

  // A server that restarts is found again, and what was asked meanwhile is answered.
  const patient = openHttpStore({ url: served.url, token: WORKER_TOKEN });
  const claiming = patient.claim({ worker: "w", leaseMs: 1 });
  await Bun.sleep(50);
  served = serveWorkers(store, { port });
  expect((await claiming).run).toBeUndefined();
  for (const each of [worker, late, patient]) await each.close();
});

test("a worker that waits is let go when the server ends", async () => {
  const worker = openHttpStore({ url: served.url, token: WORKER_TOKEN });
  const none = await worker.claim({ worker: "w", leaseMs: 1 });
  if (none.run !== undefined) throw new Error("There should be nothing");
  const waiting = worker.wake({ waitMs: 20_000, mark: none.mark }, new AbortController().signal);
  const { port } = served;
  await served[Symbol.asyncDispose]();
  await waiting;
  served = serveWorkers(store, { port });
  await worker.close();
});
