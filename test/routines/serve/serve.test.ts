// keelson serve from outside: a routine is made, started, watched and read by requests alone, and runs as the program.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newApiToken, openSqliteStore } from "@keelson/routines";
import { runKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { testRepository } from "../../../packages/routines/src/worker/checkout/repository.test-support.ts";
import { noWorker } from "../worker/world.ts";
import { databaseIn, request, serving, tokenFor, type Serving } from "./serving.ts";

const ENDED = /^(?:succeeded|failed|cancelled|timed_out|skipped)$/;

async function ended({ call }: Serving, id: string): Promise<any> {
  for (;;) {
    const { json } = await call("GET", `/v1/runs/${id}`);
    if (ENDED.test(json.state)) return json;
    await Bun.sleep(50);
  }
}

const REPORT = { done: true, summary: "All tests pass", links: [] };
/** One command, and then the report. */
const works = ({ messages }: any) =>
  JSON.stringify(messages).includes("tool_result")
    ? { calls: [{ name: "StructuredOutput", input: REPORT }] }
    : { calls: [{ name: "Bash", input: { command: "cat README.md" } }] };

testUnless(noWorker, test)(
  "a routine that is started over HTTP runs, and its log and outcome can be read",
  async () => {
    using home = temporaryHome();
    using repository = testRepository();
    repository.commit({ "README.md": "The project of the team\n" });
    await using model = await startMockModel(works);
    await using server = await serving({ home, model });
    const { call } = server;

    const made = await call("POST", "/v1/code/triggers", {
      name: "Nightly",
      prompt: "Run the tests",
      cron: "0 3 * * 1-5",
      zone: "Europe/Berlin",
      permission_mode: "acceptEdits",
      sources: [{ url: repository.url }],
      color: "green",
    });
    expect(made).toMatchObject({
      status: 201,
      json: { name: "Nightly", cron_expression: "0 3 * * 1-5", enabled: true, version: 1, color: "green" },
    });
    const { id } = made.json;
    expect(id).toStartWith("trig_");
    expect(new Date(made.json.next_run_at).getTime()).toBeGreaterThan(Date.now());

    const key = { "Idempotency-Key": "once" };
    const started = await call("POST", `/v1/code/triggers/${id}/run`, { text: "Only the fast ones" }, key);
    expect(started).toMatchObject({ status: 202, json: { type: "routine_run", trigger_id: id } });
    const again = await call("POST", `/v1/code/triggers/${id}/run`, { text: "Only the fast ones" }, key);
    expect([again.json.id, again.headers.get("idempotent-replayed")]).toEqual([started.json.id, "true"]);
    const other = await call("POST", `/v1/code/triggers/${id}/run`, {}, key);
    expect([other.status, other.json.error.type]).toEqual([409, "conflict_error"]);

    const run = await ended(server, started.json.id);
    expect(run).toMatchObject({ state: "succeeded", cause: "manual", outcome: REPORT });
    const log: any[] = [];
    for (let cursor = ""; ;) {
      const { json } = await call("GET", `/v1/code/sessions/${run.session_id}/log?limit=2${cursor}`);
      log.push(...json.data);
      if (json.next_cursor === null) break;
      cursor = `&cursor=${json.next_cursor}`;
    }
    expect(log.map(({ seq }) => seq)).toEqual(log.map(({ seq }) => seq).toSorted((a, b) => a - b));
    expect(log.find(({ type }) => type === "tool").text).toContain("The project of the team");
    // What came with the call is data.
    expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("<routine-fire-payload>\\nOnly the fast ones");
    expect((await call("GET", `/v1/code/triggers/${id}/runs`)).json).toMatchObject({
      data: [{ id: run.id }],
      next_cursor: null,
    });

    server.program.kill("SIGTERM");
    expect(await server.program.done).toMatchObject({ code: 0 });
  },
);

test("only who has a token is served, and a token that reads writes nothing", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const reader = await tokenFor(home, "reader", "--scope", "read");
  const worker = await tokenFor(home, "worker", "--scope", "worker");
  const routine = { name: "One", prompt: "Do it" };
  const attempts = [
    ["nothing", "GET", 401],
    [worker, "GET", 401],
    [worker, "POST", 401],
    [reader, "POST", 403],
    [reader, "GET", 200],
    [server.token, "POST", 201],
  ] as const;
  for (const [token, method, status] of attempts) {
    const body = method === "POST" ? routine : undefined;
    const answer = await request(server.url, token, method, "/v1/code/triggers", body);
    expect([token, method, answer.status]).toEqual([token, method, status]);
    if (status >= 400)
      expect(answer.json.error.type).toBe(status === 401 ? "authentication_error" : "permission_error");
  }
  expect((await server.call("GET", "/v1/code/triggers")).json.data).toHaveLength(1);
  // Neither tokens nor secrets are in the database as they are.
  const { json } = await server.call("GET", "/v1/code/triggers");
  const hook = await server.call("POST", `/v1/code/triggers/${json.data[0].id}/webhooks`, { kind: "http" });
  const fired = await request(server.url, hook.json.token, "POST", `/v1/claude_code/routines/${json.data[0].id}/fire`, {
    text: "Go",
  });
  expect(fired).toMatchObject({ status: 200, json: { type: "routine_fire", state: "queued" } });
  const kept = ["", "-wal"].map((end) => readFileSync(databaseIn(home) + end, "latin1")).join("");
  for (const secret of [server.token, reader, worker, hook.json.token, hook.json.secret])
    expect(kept).not.toContain(secret);
});

test("tokens are listed without what they are, and end when they are revoked or their days are over", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const serve = (...args: string[]) => runKeelson(["serve", ...args], { home });
  const token = await tokenFor(home, "laptop of A.", "--days", "2");
  const status = async () => (await request(server.url, token, "GET", "/v1/code/triggers")).status;
  expect(await status()).toBe(200);
  const { stdout } = await serve("tokens");
  expect(stdout).not.toContain(token);
  const line = stdout.split("\n").find((each) => each.includes("laptop of A."))!;
  expect(line).toMatch(/^tok_\w+ +laptop of A\. +read\+write +made \S+ +(?:never )?used ?\S* +until 2\d{3}-/);
  const [id] = line.split(" ");
  expect(await serve("revoke", id!)).toMatchObject({ code: 0, stdout: 'Revoked the token of "laptop of A."\n' });
  expect(await status()).toBe(401);

  const store = await openSqliteStore({ file: databaseIn(home), unseal: async (sealed) => sealed });
  const over = newApiToken({ name: "old", scope: "write", expiresAt: Date.now() - 1 }, Date.now());
  await store.tokens.insert(over.row);
  await store.close();
  expect((await request(server.url, over.token, "GET", "/v1/code/triggers")).status).toBe(401);

  for (const [args, message] of [
    [["revoke", id!], `there is no token "${id}"; "keelson serve tokens" lists them`],
    [["revoke"], "keelson serve token NAME, tokens, revoke ID, users, link USER or backup FILE"],
    [["token", "\u001b[31m"], "the name of a token must have 1 to 100 letters"],
    [["--role", "all", "--server", "https://x.test"], "--server is for workers"],
  ] as const)
    expect([args, await serve(...args)]).toEqual([
      args,
      expect.objectContaining({ code: 1, stderr: expect.stringContaining(message) }),
    ]);
});

test("what is wrong with a routine is said by field, and changes are versions", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const { call } = server;
  const wrong = [
    [{ prompt: "x" }, "name: required"],
    [{ name: "x" }, "prompt: required"],
    [{ name: "x", prompt: "y", id: "trig_1" }, "id: set by the server"],
    [{ name: "x", prompt: "y", cron_expression: "*/5 * * * *" }, "cron_expression: Runs would be 5 minutes apart"],
    [{ name: "x", prompt: "y", cron_expression: "0 9 30 2 *" }, "cron_expression: "],
    [{ name: "x", prompt: "y", cron_expression: "0 9 * * *", zone: "Mars/Base" }, "zone: "],
    [{ name: "x", prompt: "y", run_once_at: "2020-01-01T00:00:00Z" }, "run_once_at: This time is in the past"],
    [{ name: "x", prompt: "y", timeout_s: 5 }, "timeout_s: must be a whole number from 60 to 86400"],
    [{ name: "x", prompt: "y", notify: [{ kind: "command", target: "rm -rf" }] }, "notify[0].target: must be a name"],
    [
      { name: "x", prompt: "y", protected_branches: "release" },
      "protected_branches: must be a list of at most 200 texts",
    ],
    [{ name: "x", prompt: "y", push_branches: [1] }, "push_branches: must be a list of at most 200 texts"],
    [
      { name: "x", prompt: "y", job_config: { ccr: { events: [{ data: { message: { content: "z" } } }] } } },
      "job_config.ccr.events[0].data.message: differs from prompt",
    ],
    [
      { name: "x", prompt: "y", more: "x".repeat(70_000) },
      "more: fields that are not known may have 65536 bytes in all",
    ],
  ] as const;
  for (const [body, message] of wrong) {
    const { status, json } = await call("POST", "/v1/code/triggers", body);
    expect([status, json.error.type, json.error.message]).toEqual([
      400,
      "invalid_request_error",
      expect.stringContaining(message),
    ]);
  }
  expect((await call("GET", "/v1/code/triggers")).json.data).toEqual([]);

  const nested = {
    name: "Nested",
    job_config: {
      ccr: {
        environment_id: "env_1",
        session_context: { model: "opus", allowed_tools: ["Read"], outcomes: [1] },
        events: [{ data: { message: { role: "user", content: "Look" } } }],
      },
    },
  };
  const { json: made } = await call("POST", "/v1/code/triggers", nested);
  expect(made).toMatchObject({ prompt: "Look", model: "opus", allowed_tools: ["Read"], environment_id: "env_1" });
  expect(made.job_config.ccr).toEqual({
    ...nested.job_config.ccr,
    session_context: { ...nested.job_config.ccr.session_context, sources: [] },
  });

  const path = `/v1/code/triggers/${made.id}`;
  const once = await call("PATCH", path, { run_once_at: new Date(Date.now() + 3_600_000).toISOString() });
  expect([once.json.version, once.json.prompt, once.headers.get("etag")]).toEqual([2, "Look", '"2"']);
  const stale = await call("PATCH", path, { prompt: "Else" }, { "If-Match": '"1"' });
  expect([stale.status, stale.json.error.message]).toEqual([409, "If-Match: the routine has version 2"]);
  const cleared = await call("POST", path, { run_once_at: null, model: null, enabled: false }, { "If-Match": '"2"' });
  expect(cleared.json).toMatchObject({ run_once_at: null, next_run_at: null, model: null, enabled: false, version: 3 });
  expect((await call("DELETE", path)).status).toBe(204);
  expect((await call("GET", path)).json.error).toEqual({
    type: "not_found_error",
    message: "There is no such routine",
  });
});

test("a server that cannot start says why and how to go on", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const port = new URL(server.url).port;
  home.write("~/newer.db", "this is no database, and long enough to be read as one ".repeat(40));
  const cases = [
    [["--port", port], `port ${port} is in use`],
    [["--db", "mysql://host/db"], "use a file or postgres://"],
    [["--db", join(home.home, "newer.db"), "--role", "api"], "not a database"],
    [["--db", join(home.home, "nowhere", "x.db"), "--role", "api"], "name a file in a folder that you can write to"],
    [["--host", "0.0.0.0", "--port", "0", "--role", "api"], "use a TLS proxy"],
    [["--role", "worker", "--server", "https://routines.example.org"], "KEELSON_WORKER_TOKEN is not set"],
    [["--role", "worker", "--server", "http://routines.example.org"], "must begin with https://"],
  ] as const;
  for (const [args, message] of cases) {
    const env = { KEELSON_WORKER_TOKEN: message.startsWith("must") ? "t".repeat(43) : undefined };
    const { code, stderr } = await runKeelson(["serve", ...args], { home, env: env as never });
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(message)]);
  }
});

testUnless(noWorker, test)(
  "a run asks, a person answers over HTTP, and it goes on with the secret of its environment",
  async () => {
    using home = temporaryHome();
    using repository = testRepository();
    repository.commit({ "README.md": "The project\n" });
    await using model = await startMockModel(({ messages }: any) => {
      const said = JSON.stringify(messages);
      if (said.includes("Made by the run")) return { calls: [{ name: "StructuredOutput", input: REPORT }] };
      if (!said.includes("is approved") && !said.includes("tool_result"))
        return { calls: [{ name: "mcp__none__x", input: {} }] };
      return {
        calls: [
          {
            name: "Bash",
            input: { command: 'test "$GITHUB_TOKEN $NODE_ENV" = "s3cret-value test" && echo Made by the run' },
          },
        ],
      };
    });
    await using server = await serving({ home, model });
    const { call } = server;
    const admin = await tokenFor(home, "admin", "--scope", "admin");
    const environment = {
      name: "Deploys",
      secrets: ["GITHUB_TOKEN"],
      network: ["*.example.org"],
      variables: { NODE_ENV: "test" },
    };
    const refused = await call("POST", "/v1/environments", environment);
    expect([refused.status, refused.json.error.message]).toEqual([403, expect.stringContaining("--scope admin")]);
    const made = await request(server.url, admin, "POST", "/v1/environments", environment);
    expect(made).toMatchObject({ status: 201, json: { ...environment, version: 1, setup_script: null } });
    const secret = { name: "GITHUB_TOKEN", value: "s3cret-value" };
    expect((await request(server.url, admin, "POST", "/v1/secrets", secret)).status).toBe(200);
    expect(JSON.stringify((await call("GET", "/v1/secrets")).json)).not.toContain(secret.value);
    for (const [field, wrong] of [
      ["network", ["a b"]],
      ["secrets", ["1x"]],
      ["variables", { A: 1 }],
      ["secrets", ["AWS_SECRET_ACCESS_KEY"]],
      ["variables", { OPENAI_BASE_URL: "https://example.org" }],
      ["more", 1],
    ] as const) {
      const { status, json } = await request(server.url, admin, "PATCH", `/v1/environments/${made.json.id}`, {
        [field]: wrong,
      });
      expect([status, json.error.message]).toEqual([400, expect.stringContaining(`${field}: `)]);
    }
    const reserved = { name: "OPENAI_API_KEY", value: "s3cret-value" };
    const kept = await request(server.url, admin, "POST", "/v1/secrets", reserved);
    expect([kept.status, kept.json.error.message]).toEqual([400, expect.stringContaining('name: "OPENAI_API_KEY" is')]);

    const { json: routine } = await call("POST", "/v1/code/triggers", {
      name: "Deploy",
      prompt: "Deploy it",
      questions: "ask",
      permission_mode: "default",
      environment_id: made.json.id,
      sources: [{ url: repository.url }],
    });
    const { json: started } = await call("POST", `/v1/code/triggers/${routine.id}/run`, {});
    const run = await ended(server, started.id);
    expect([run.state, run.reason]).toEqual(["succeeded", null]);
    const { json: log } = await call("GET", `/v1/code/sessions/${run.session_id}/log`);
    expect(JSON.stringify(log)).toContain("Made by the run");
    expect(JSON.stringify(log)).not.toContain(secret.value);
    const late = await call("POST", `/v1/runs/${run.id}/answer`, { question_id: "none", behavior: "allow" });
    expect([late.status, late.json.error.message]).toEqual([404, "There is no such question of this run"]);
  },
);

testUnless(noWorker, test)(
  "without a model, a run fails at once and says what to set, unless its routine names the offline model",
  async () => {
    using home = temporaryHome();
    // No key, and no address of a model.
    await using server = await serving({ home, env: { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "" } });
    const run = async (model: string | null) => {
      const { json } = await server.call("POST", "/v1/code/triggers", { name: "One", prompt: "Go", model });
      const { json: started } = await server.call("POST", `/v1/code/triggers/${json.id}/run`, {});
      return ended(server, started.id);
    };
    const failed = await run(null);
    expect(failed).toMatchObject({ state: "failed", attempt: 1, turns: 0, outcome: null });
    expect(failed.reason).toStartWith("The worker has no model: start it with ANTHROPIC_API_KEY set, or ");
    expect(await run("sonnet")).toMatchObject({ state: "failed", attempt: 1, outcome: null });
    expect((await run("offline")).state).toBe("succeeded");
  },
);
