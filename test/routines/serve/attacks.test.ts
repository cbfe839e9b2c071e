// What a caller may send to keelson serve: whatever is wrong is refused by name, and what is accepted can be read and changed again.

import { expect, test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { serving } from "./serving.ts";

const BASE = "/v1/code/triggers";
const OK = { name: "x", prompt: "y" };

const FIELDS = [
  ...[
    "name",
    "prompt",
    "model",
    "permission_mode",
    "allowed_tools",
    "sources",
    "environment_id",
    "overlap",
    "catch_up",
  ],
  ...[
    "timeout_s",
    "max_attempts",
    "max_turns",
    "budget_usd",
    "on_crash",
    "questions",
    "notify",
    "cron_expression",
    "cron",
  ],
  ...["zone", "run_once_at", "jitter_ms", "expires_at", "enabled", "job_config"],
];
const VALUES = [
  ...[null, true, 0, -1, 1.5, 1e308, "", "a", "\0", "\ud800", "x".repeat(100_001), "2026-03-02", "2030-03-02T09:00"],
  ...[[], [null], [1], ["a"], ["\0"], [[]], ["a".repeat(3_000)], Array.from({ length: 500 }, () => "a"), [{}]],
  ...[[{ url: 5 }], [{ url: "\0" }], [{ kind: "webhook", target: 5 }], {}, { a: 1 }, { ccr: null }],
  ...[{ ccr: { events: 5 } }, { ccr: { events: [5] } }, { ccr: { events: [{}, {}] } }, { ccr: { session_context: 5 } }],
];

test("each field with each kind of value is accepted, or refused by its name", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const { json: made } = await server.call("POST", BASE, OK);
  const path = `${BASE}/${made.id}`;
  for (const field of FIELDS) {
    const accepted: unknown[] = [];
    for (const value of VALUES) {
      for (const [method, at, body] of [
        ["POST", BASE, { ...OK, [field]: value }],
        ["PATCH", path, { [field]: value }],
      ] as const) {
        const { status, json } = await server.call(method, at, body);
        if (status === 200) accepted.push(value);
        const said = status === 400 ? String(json.error.message).split(/[.[:]/)[0] : field;
        const name = field === "cron" && said === "cron_expression" ? field : said;
        expect([field, value, [200, 201, 400].includes(status), name]).toEqual([field, value, true, field]);
        if (status === 201) await server.call("DELETE", `${BASE}/${json.id}`);
      }
    }
    expect([field, accepted]).not.toEqual([field, VALUES]);
    const shown = await server.call("GET", path);
    expect(JSON.stringify(shown.json)).not.toMatch(/\\u0000|\\ud800/);
  }
});

test("what is nested too deeply is refused, and fields that are not known come back as they were", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const send = async (path: string, body: string, method: string) => {
    const headers = { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" };
    const response = await fetch(server.url + path, { method, body, headers });
    const text = await response.text();
    return { status: response.status, text, json: text.length < 10_000 ? JSON.parse(text) : undefined };
  };
  const { json: made } = await server.call("POST", BASE, OK);
  const one = `${BASE}/${made.id}`;
  for (const depth of [201, 30_000, 400_000]) {
    const deep = `{"name":"x","prompt":"y","more":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    for (const [path, method] of [
      [BASE, "POST"],
      [one, "PATCH"],
      [`${one}/run`, "POST"],
      [`${one}/webhooks`, "POST"],
    ] as const)
      expect([depth, path, (await send(path, deep, method)).status]).toEqual([depth, path, 400]);
  }
  const kept = `{"name":"x","prompt":"y","__proto__":{"a":1},"constructor":2,"job_config":{"beside":3,"ccr":{"outcomes":[4]}}}`;
  const { status, json } = await send(BASE, kept, "POST");
  expect(status).toBe(201);
  for (const shown of [json, (await server.call("PATCH", `${BASE}/${json.id}`, { name: "z" })).json]) {
    expect(Object.getOwnPropertyDescriptor(shown, "__proto__")?.value).toEqual({ a: 1 });
    expect(shown).toMatchObject({ constructor: 2, job_config: { beside: 3, ccr: { outcomes: [4] } } });
  }
  const cleared = await server.call("PATCH", `${BASE}/${json.id}`, { job_config: null, constructor: null });
  expect([cleared.json.job_config.beside, cleared.json.job_config.ccr.outcomes]).toEqual([undefined, undefined]);
  expect(Object.hasOwn(cleared.json, "constructor")).toBe(false);
  for (const query of [
    "limit=0",
    "limit=1e1",
    "limit=0x1",
    "cursor=%00",
    "cursor=1.%00",
    "cursor=%20",
    "cursor=x",
    "other=1",
  ])
    expect([query, (await server.call("GET", `${BASE}?${query}`)).status]).toEqual([query, 400]);
});

test("a schedule's zone is kept while it has no times", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const { json: made } = await server.call("POST", BASE, OK);
  const path = `${BASE}/${made.id}`;
  const zoned = await server.call("PATCH", path, { zone: "Asia/Tokyo", jitter_ms: 0 });
  expect(zoned).toMatchObject({ status: 200, json: { zone: "Asia/Tokyo", jitter_ms: 0, cron_expression: null } });
  const timed = await server.call("PATCH", path, { cron: "0 9 * * *" });
  expect(timed.json).toMatchObject({ zone: "Asia/Tokyo", next_run_at: expect.stringContaining("T00:00:00.000Z") });
  await server.call("PATCH", path, { cron: null });
  const again = await server.call("PATCH", path, { cron: "0 10 * * *" });
  expect(again.json).toMatchObject({ zone: "Asia/Tokyo", jitter_ms: 0 });
});

test("requests at the same time: one key makes one thing, and changes of different fields are all kept", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const { call } = server;
  const together = (path: string, key: string, bodies: readonly object[]) =>
    Promise.all(bodies.map((body) => call("POST", path, body, { "Idempotency-Key": key })));
  const ten = Array.from({ length: 10 }, (_, at) => at);

  const same = await together(
    BASE,
    "one",
    ten.map(() => ({ ...OK, cron: "0 9 * * *" })),
  );
  expect(new Set(same.map(({ status, json }) => `${status} ${json.id}`)).size).toBe(1);
  const different = await together(
    BASE,
    "two",
    ten.map((at) => ({ ...OK, name: `n${at}`, ...(at % 2 && { cron: "0 9 * * *" }) })),
  );
  expect(different.map(({ status }) => status).toSorted()).toEqual([201, ...ten.slice(1).map(() => 409)]);
  const { name, cron_expression: cron } = different.find(({ status }) => status === 201)!.json;
  expect(cron).toBe(Number(name.slice(1)) % 2 ? "0 9 * * *" : null);
  expect((await call("GET", BASE)).json.data).toHaveLength(2);

  const one = `${BASE}/${same[0]!.json.id}`;
  const runs = await together(
    `${one}/run`,
    "three",
    ten.map((at) => ({ text: String(at) })),
  );
  expect(runs.map(({ status }) => status).toSorted()).toEqual([202, ...ten.slice(1).map(() => 409)]);
  expect((await call("GET", `${one}/runs`)).json.data).toHaveLength(1);

  const fields = ["name", "prompt", "model", "environment_id"];
  for (const value of ["first", "second", "third"]) {
    const changed = await Promise.all(fields.map((field) => call("PATCH", one, { [field]: value })));
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { json } = await call("GET", one);
    expect(fields.map((field) => json[field])).toEqual(fields.map(() => value));
  }
});

test("the server says that it is ready", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  for (const path of ["/healthz", "/readyz"])
    expect(await (await fetch(server.url + path)).json()).toMatchObject({ ok: true });
});
