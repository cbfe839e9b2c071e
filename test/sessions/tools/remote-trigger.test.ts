// RemoteTrigger through the whole program, against a server that keeps to docs/routines-api.md.

import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  startRoutinesServer,
  temporaryHome,
  transcriptFiles,
  type RoutinesServer,
  type TemporaryHome,
} from "@keelson/testkit";
import { STREAM, told, toolUseResults } from "../front-door.ts";

const TOKEN = "rt_secret_token";
const ALLOWED = ["--allowedTools", "RemoteTrigger"];
const ROUTINE = { name: "Nightly", prompt: "Run the tests", cron_expression: "0 3 * * *" };

interface Asked {
  readonly home: TemporaryHome;
  readonly env?: Record<string, string>;
  readonly flags?: readonly string[];
}

/** Each call in a turn of its own; what the model and clients got. */
async function manage({ home, env = {}, flags = ALLOWED }: Asked, ...inputs: readonly object[]) {
  const turns = inputs.map((input) => ({ calls: [{ name: "RemoteTrigger", input: input as any }] }));
  await using model = await startMockModel([...turns, { text: "done" }]);
  const ended = await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env });
  const shown = inputs.map((_, at) => told(model.requests[at + 1]!)[0].content as string);
  const offered = model.requests[0]!.body.tools.map(({ name }: any) => name).includes("RemoteTrigger");
  return { shown, outputs: toolUseResults(ended), offered, ended };
}

const withServer = (server: RoutinesServer) => ({ KEELSON_ROUTINES_URL: server.url, KEELSON_ROUTINES_TOKEN: TOKEN });

test("it is offered if a server is set up, and named without one it says what is missing", async () => {
  using home = temporaryHome();
  expect((await manage({ home }, { action: "list" })).offered).toBe(false);
  const { offered, shown } = await manage({ home, flags: ["--tools", "RemoteTrigger"] }, { action: "list" });
  expect([offered, shown]).toEqual([
    true,
    [
      '<tool_use_error>No routines server is set up. Set KEELSON_ROUTINES_URL, or "routines": {"url": …} in the user settings.</tool_use_error>',
    ],
  ]);
});

test("a routine is created, read, run, changed and followed", async () => {
  using home = temporaryHome();
  await using server = await startRoutinesServer({ token: TOKEN, pageSize: 2 });
  const { shown, outputs, ended } = await manage(
    { home, env: withServer(server) },
    { action: "create", body: ROUTINE },
    { action: "get", trigger_id: "trig_1" },
    { action: "run", trigger_id: "trig_1", body: { text: "only the slow ones" } },
    { action: "list_runs", trigger_id: "trig_1" },
    { action: "get_run_log", session_id: "session_2" },
    { action: "get_run_log", session_id: "session_2", cursor: "after-2" },
    { action: "update", trigger_id: "trig_1", body: { enabled: false } },
    { action: "list" },
    { action: "get", trigger_id: "trig_9" },
  );
  expect(outputs.map(({ status }) => status)).toEqual([201, 200, 202, 200, 200, 200, 200, 200, 404]);
  expect(outputs.map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/^Nightly \(trig_1\), next run \d{4}-/),
    expect.stringMatching(/^Nightly \(trig_1\), next run \d{4}-/),
    "Started session session_2",
    "1 run",
    undefined,
    undefined,
    "Nightly (trig_1), disabled",
    "1 routine",
    "There is no routine 'trig_9'",
  ]);
  expect(JSON.parse(outputs[5].json)).toMatchObject({ data: [{ type: "result", text: "Done" }], next_cursor: null });
  expect(shown[8]).toBe(
    `HTTP 404\nThere is no routine 'trig_9'\n{"type":"error","error":{"type":"not_found_error","message":"There is no routine 'trig_9'"}}`,
  );
  const keys = server.calls.map(({ headers }) => headers["idempotency-key"]);
  // Only what must not happen twice has one.
  expect(keys.flatMap((key, at) => (key === undefined ? [] : [at]))).toEqual([0, 2]);
  expect(new Set(server.calls.map(({ headers }) => headers["authorization"]))).toEqual(new Set([`Bearer ${TOKEN}`]));
  expect(ended.stdout + ended.stderr).not.toContain(TOKEN);
});

test("secrets of a webhook go to a private file, not to the model or the transcript", async () => {
  using home = temporaryHome();
  await using server = await startRoutinesServer({ token: TOKEN });
  const { shown, outputs, ended } = await manage(
    { home, env: withServer(server) },
    { action: "create", body: ROUTINE },
    { action: "create_webhook_trigger", trigger_id: "trig_1" },
  );
  const folder = join(home.configDir, "routine-secrets");
  const [name] = readdirSync(folder);
  const path = join(folder, name!);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { token, secret } = JSON.parse(readFileSync(path, "utf8"));
  expect([token, secret]).toEqual([expect.stringMatching(/^whtok_/), expect.stringMatching(/^whsec_/)]);
  const answer = JSON.parse(outputs[1].json);
  expect([answer.token, answer.secret]).toEqual([`saved to ${path}`, `saved to ${path}`]);
  expect(shown[1]).toContain(`Calls to ${server.url}/v1/webhooks/`);
  const [transcript] = transcriptFiles(home);
  const kept = ended.stdout + readFileSync(transcript!, "utf8");
  for (const hidden of [token, secret, TOKEN]) expect(kept).not.toContain(hidden);

  const call = (headers: Record<string, string>) => fetch(answer.url, { method: "POST", body: "{}", headers });
  const time = `${Math.floor(Date.now() / 1000)}`;
  const signed = (at: string) => ({
    "x-keelson-timestamp": at,
    "x-keelson-signature-256": `sha256=${createHmac("sha256", secret).update(`${at}.{}`).digest("hex")}`,
  });
  expect((await call({ authorization: `Bearer ${token}` })).status).toBe(200);
  expect((await call(signed(time))).status).toBe(200);
  expect((await call(signed(`${Number(time) - 301}`))).status).toBe(401);
  expect((await call({ authorization: "Bearer wrong" })).status).toBe(401);
});

test("changes need approval; reading and disabling do not", async () => {
  using home = temporaryHome();
  await using server = await startRoutinesServer({ token: TOKEN });
  server.store.create(ROUTINE);
  const { shown } = await manage(
    { home, env: withServer(server), flags: [] },
    { action: "list" },
    { action: "create", body: ROUTINE },
    { action: "run", trigger_id: "trig_1" },
    { action: "update", trigger_id: "trig_1", body: { enabled: true } },
    { action: "update", trigger_id: "trig_1", body: { enabled: false } },
  );
  expect(shown.map((text) => text.split("\n")[0]!.split(". No one")[0])).toEqual([
    "HTTP 200",
    "Permission to use RemoteTrigger was not granted",
    "Permission to use RemoteTrigger was not granted",
    "Permission to use RemoteTrigger was not granted",
    "HTTP 200",
  ]);
});

test("a wrong token is data, an unreachable server an error, and a short interval is never sent", async () => {
  using home = temporaryHome();
  await using server = await startRoutinesServer({ token: "other" });
  const { outputs } = await manage({ home, env: withServer(server) }, { action: "list" });
  expect(outputs[0]).toMatchObject({ status: 401, summary: "The token is missing or wrong" });
  const before = server.calls.length;
  const short = { action: "create", body: { ...ROUTINE, cron_expression: "*/10 * * * *" } };
  const { shown } = await manage({ home, env: withServer(server) }, short);
  expect(shown[0]).toContain("Routines run at most once an hour; '*/10 * * * *' has runs 10 minutes apart");
  expect(server.calls.length).toBe(before);
  const away = { KEELSON_ROUTINES_URL: "http://127.0.0.1:1", KEELSON_ROUTINES_TOKEN: TOKEN };
  expect((await manage({ home, env: away }, { action: "list" })).shown[0]).toMatch(
    /^Routines server: 'http:\/\/127\.0\.0\.1:1\/v1\/code\/triggers' could not be reached: /,
  );
});

test("a project cannot say where the token goes", async () => {
  using home = temporaryHome();
  await using server = await startRoutinesServer({ token: TOKEN });
  home.write(".claude/settings.json", { env: { KEELSON_ROUTINES_URL: server.url }, routines: { url: server.url } });
  const { offered } = await manage({ home, env: { KEELSON_ROUTINES_TOKEN: TOKEN } }, { action: "list" });
  expect([offered, server.calls]).toEqual([false, []]);
});
