// What the page of routines reads and does besides making routines, by requests alone.

import { expect, test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { claimRun, openStore } from "../page/kept-runs.ts";
import { request, serving, tokenFor } from "./serving.ts";

const API = ["--role", "api"];
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

test("a schedule is told in words with its next five starts, or which of its fields is wrong", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const preview = async (query: Record<string, string>) =>
    (await server.call("GET", `/v1/schedule?${new URLSearchParams(query)}`)).json;
  const weekdays = await preview({ cron_expression: "0 9 * * 1-5", zone: "Asia/Tokyo" });
  expect(weekdays.schedule_text).toBe("every weekday at 09:00");
  expect(weekdays.starts.map(({ slot_at }: any) => slot_at.slice(11))).toEqual(Array(5).fill("00:00:00.000Z"));
  const { json: routine } = await server.call("POST", "/v1/code/triggers", {
    name: "One",
    prompt: "Go",
    cron: "0 9 * * *",
    jitter_ms: 600_000,
  });
  const own = await preview({ cron_expression: "0 9 * * *", jitter_ms: "600000", trigger_id: routine.id });
  expect(own.starts[0].start_at).toBe(routine.next_run_at);
  expect(
    await Promise.all([
      preview({ cron_expression: "*/5 * * * *" }),
      preview({ cron_expression: "0 9 * * *", zone: "Mars/Base" }),
      preview({ run_once_at: "2020-01-01T00:00:00Z" }),
      preview({ cron_expression: "0 9 * * *", expires_at: "2020-01-01T00:00:00Z" }),
    ]),
  ).toEqual([
    { field: "cron_expression", problem: expect.stringContaining("5 minutes apart") },
    { field: "zone", problem: expect.stringContaining("is not a time zone") },
    { field: "run_once_at", problem: "This time is in the past" },
    { field: "expires_at", problem: "This time is in the past" },
  ]);
});

test("a webhook is changed, its token replaced and refused, and it is removed; a reader does none of it", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const { call } = server;
  const reader = await tokenFor(home, "reader", "--scope", "read");
  const { json: routine } = await call("POST", "/v1/code/triggers", { name: "One", prompt: "Go", overlap: "queue" });
  const list = `/v1/code/triggers/${routine.id}/webhooks`;
  const { json: http } = await call("POST", list, { kind: "http" });
  const { json: github } = await call("POST", list, { kind: "github", events: ["issues.labeled"] });
  const listed = (await call("GET", list)).json.data;
  expect(listed.map(({ id }: any) => id).sort()).toEqual([http.id, github.id].sort());
  for (const secret of [http.token, http.secret, github.secret]) expect(JSON.stringify(listed)).not.toContain(secret);
  expect(listed.find(({ id }: any) => id === github.id)).toEqual({
    id: github.id,
    kind: "github",
    url: github.url,
    events: ["issues.labeled"],
    filters: [],
    actors: [],
    hourly_cap: 60,
    expires_at: null,
    last_fired_at: null,
    created_at: iso,
  });

  const one = `/v1/triggers/${github.id}`;
  const change = { filters: [{ field: "labels", op: "contains", value: "bug" }], hourly_cap: 5 };
  expect((await call("PATCH", one, change)).json).toMatchObject({ ...change, events: ["issues.labeled"] });
  for (const [body, message] of [
    [{ hourly_cap: 0 }, "hourly_cap: "],
    [{ events: ["nonsense"] }, "events"],
    [{ kind: "http" }, "kind: cannot be changed"],
    [{ token: "x" }, "token: not known here"],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at: This time is in the past"],
  ] as const)
    expect([await call("PATCH", one, body)]).toEqual([
      expect.objectContaining({
        status: 400,
        json: expect.objectContaining({
          error: expect.objectContaining({ message: expect.stringContaining(message) }),
        }),
      }),
    ]);

  const fire = (token: string) => request(server.url, token, "POST", `/v1/hooks/http/${http.id}`, { a: 1 });
  expect((await fire(http.token)).status).toBe(200);
  const { json: fresh } = await call("POST", `/v1/triggers/${http.id}/rotate`, {});
  expect([(await fire(http.token)).status, (await fire(fresh.token)).status]).toEqual([401, 200]);
  expect(fresh.secret).not.toBe(http.secret);
  const { json: deliveries } = await call("GET", `/v1/deliveries?webhook_id=${http.id}`);
  expect(deliveries.data.map(({ verdict }: any) => verdict)).toEqual(["run", "refused", "run"]);
  expect((await call("GET", "/v1/deliveries?verdict=refused")).json.data).toHaveLength(1);
  expect((await call("GET", "/v1/deliveries?verdict=lost")).status).toBe(400);

  const refused = [
    await request(server.url, reader, "PATCH", one, change),
    await request(server.url, reader, "POST", `/v1/triggers/${http.id}/rotate`, {}),
    await request(server.url, reader, "DELETE", one),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  expect((await call("DELETE", one)).status).toBe(204);
  expect((await call("DELETE", one)).status).toBe(404);
  // A schedule is no webhook.
  await call("PATCH", `/v1/code/triggers/${routine.id}`, { cron_expression: "0 9 * * *" });
  expect((await call("DELETE", `/v1/triggers/${routine.id.replace("trig", "cron")}`)).status).toBe(404);
  expect((await call("GET", `/v1/code/triggers/${routine.id}`)).json).toMatchObject({
    webhooks: ["http"],
    last_run: { cause: "http" },
  });
});

test("runs are listed by state and routine, and one that has ended is run again with its data", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const { call } = server;
  const store = await openStore(home);
  const { json: routine } = await call("POST", "/v1/code/triggers", { name: "One", prompt: "Go", overlap: "skip" });
  const { json: started } = await call("POST", `/v1/code/triggers/${routine.id}/run`, { text: "These data" });
  await call("POST", `/v1/code/triggers/${routine.id}/run`, {});
  const run = await claimRun(store);
  await store.seen({ id: "a-worker", version: "1", slots: 2, draining: false });
  expect((await call("GET", "/v1/workers")).json.data).toEqual([
    expect.objectContaining({
      name: "a-worker",
      slots: 2,
      alive: true,
      runs: [{ id: run.id, trigger_id: routine.id, started_at: iso }],
    }),
  ]);
  expect((await call("POST", `/v1/runs/${run.id}/retry`, {})).status).toBe(409);
  await run.end({ state: "failed", reason: "No" });
  const states = async (query: string) =>
    (await call("GET", `/v1/runs?${query}`)).json.data.map(({ state }: any) => state).sort();
  expect(await states("")).toEqual(["failed", "skipped"]);
  expect(await states("state=failed,timed_out")).toEqual(["failed"]);
  expect(await states("trigger_id=trig_other")).toEqual([]);
  expect((await call("GET", "/v1/runs?state=lost")).status).toBe(400);

  const key = { "Idempotency-Key": "once" };
  const again = await call("POST", `/v1/runs/${started.id}/retry`, {}, key);
  expect(again).toMatchObject({ status: 202, json: { cause: "retry", state: "queued", trigger_id: routine.id } });
  const replayed = await call("POST", `/v1/runs/${started.id}/retry`, {}, key);
  expect([replayed.json.id, replayed.headers.get("idempotent-replayed")]).toEqual([again.json.id, "true"]);
  expect((await call("GET", `/v1/runs/${again.json.id}`)).json).toMatchObject({
    payload: "These data",
    started_by: "tests",
    routine_name: "One",
    prompt: "Go",
  });
  await store.close();
});

test("a stream of a run begins behind its cursor, and is refused without a token or to other sites", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const store = await openStore(home);
  const { json: routine } = await server.call("POST", "/v1/code/triggers", { name: "One", prompt: "Go" });
  await server.call("POST", `/v1/code/triggers/${routine.id}/run`, {});
  const run = await claimRun(store);
  await run.say({ type: "a" }, { type: "b" }, { type: "c" });
  const open = (headers: Record<string, string>, path = `/v1/runs/${run.id}/stream?after=1`) =>
    new WebSocket(`${server.url.replace("http", "ws")}${path}`, {
      protocols: ["keelson.v1"],
      headers,
    } as unknown as string[]);
  const ended = (socket: WebSocket) =>
    new Promise<string>((resolve) => {
      socket.addEventListener("open", () => resolve("open"));
      socket.addEventListener("close", ({ code }) => resolve(String(code)));
    });
  const auth = { Authorization: `Bearer ${server.token}` };
  for (const headers of [{}, { Authorization: `Bearer ${"x".repeat(43)}` }, { ...auth, Origin: "https://evil.test" }])
    expect(await ended(open(headers as Record<string, string>))).not.toBe("open");
  expect(await ended(open(auth, `/v1/runs/${run.id}/stream?token=x`))).not.toBe("open");

  const lines: any[] = [];
  const socket = open(auth);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    const line = JSON.parse(String(data));
    lines.push(line.c ?? line.m.type);
    if (line.c === "5") resolve();
    else if (line.m.type === "caught_up") void run.say({ type: "d" }, { type: "e" });
  });
  await promise;
  expect(lines.filter((line) => line !== "run")).toEqual(["2", "3", "caught_up", "4", "5"]);
  expect(lines[0]).toBe("run");
  socket.close();
  await store.close();
});

test("the description of the API has the roles of people, and the streams that this server has", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: API });
  const { info, paths } = (await server.call("GET", "/v1/openapi.json")).json;
  expect(info.description).toStartWith("Routines of a team.");
  const operations = Object.values<Record<string, any>>(paths).flatMap((methods) => Object.values(methods));
  const roles = new Set(operations.flatMap((operation) => operation["x-role"] ?? []));
  expect([...roles].toSorted()).toEqual(["admin", "member", "viewer"]);
  const streams = Object.keys(paths).filter((path) => "101" in (paths[path].get?.responses ?? {}));
  expect(streams.toSorted()).toEqual(["/v1/changes/stream", "/v1/runs/{id}/stream"]);
});
