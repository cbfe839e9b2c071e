import { expect, test } from "bun:test";
import { startRoutinesServer } from "./routines-server.ts";

const ROUTINE = { name: "n", prompt: "p", cron_expression: "0 3 * * *", mine: { kept: true } };

async function world() {
  const server = await startRoutinesServer({ token: "t", pageSize: 2, now: () => Date.parse("2026-01-01T00:00:00Z") });
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: "Bearer t",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  return { server, call };
}

test("unknown fields are kept, those of the server are refused, and versions guard changes", async () => {
  const { server, call } = await world();
  await using _ = server;
  expect((await call("POST", "/v1/code/triggers", ROUTINE)).body).toMatchObject({
    id: "trig_1",
    version: 1,
    ...ROUTINE,
  });
  expect((await call("POST", "/v1/code/triggers", { ...ROUTINE, id: "x" })).body.error.message).toBe(
    "id: set by the server",
  );
  const change = (match: string) => call("PATCH", "/v1/code/triggers/trig_1", { name: "m" }, { "if-match": match });
  expect((await change('"1"')).body).toMatchObject({ name: "m", version: 2 });
  expect((await change('"1"')).status).toBe(409);
  expect((await call("DELETE", "/v1/code/triggers/trig_1")).status).toBe(204);
  expect((await call("GET", "/v1/code/triggers/trig_1")).body.error.type).toBe("not_found_error");
});

test("a key is answered once, and with the same answer", async () => {
  const { server, call } = await world();
  await using _ = server;
  const key = { "idempotency-key": "k" };
  const first = await call("POST", "/v1/code/triggers", ROUTINE, key);
  const second = await call("POST", "/v1/code/triggers", ROUTINE, key);
  expect([second.body, second.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
  expect((await call("POST", "/v1/code/triggers", { ...ROUTINE, name: "m" }, key)).status).toBe(409);
  expect((await call("GET", "/v1/code/triggers")).body.data).toBeArrayOfSize(1);
});

test("pages end, and a bad cursor is an error", async () => {
  const { server, call } = await world();
  await using _ = server;
  for (const name of ["a", "b", "c"]) await call("POST", "/v1/code/triggers", { ...ROUTINE, name });
  const { body } = await call("GET", "/v1/code/triggers");
  const last = (await call("GET", `/v1/code/triggers?cursor=${body.next_cursor}`)).body;
  expect([...body.data, ...last.data].map(({ name }: any) => name)).toEqual(["c", "b", "a"]);
  expect(last.next_cursor).toBeNull();
  expect((await call("GET", "/v1/code/triggers?cursor=x")).status).toBe(400);
});

test.each([
  ["GET", "/v1/code/triggers", undefined, { authorization: "Bearer x" }, 401],
  ["PUT", "/v1/code/triggers", {}, {}, 405],
  ["POST", "/v1/code/triggers", "{}", { "content-type": "text/plain" }, 415],
  ["POST", "/v1/code/triggers", "[]", {}, 400],
  ["POST", "/v1/code/triggers", { ...ROUTINE, cron_expression: "*/5 * * * *" }, {}, 400],
  ["POST", "/v1/code/triggers", { ...ROUTINE, cron_expression: null, run_once_at: "2025-01-01T00:00:00Z" }, {}, 400],
  ["GET", "/v1/other", undefined, {}, 404],
] as const)("%s %s with %j and %j", async (method, path, body, headers, status) => {
  const { server, call } = await world();
  await using _ = server;
  const answer = await call(method, path, body, headers);
  expect([answer.status, answer.body.type]).toEqual([status, "error"]);
});
