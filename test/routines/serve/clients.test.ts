// What speaks to a server: the tool RemoteTrigger in a session, and keelson routines.

import { expect, test } from "bun:test";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM, toolUseResults } from "../../sessions/front-door.ts";
import { request, serving } from "./serving.ts";

test("RemoteTrigger does all that it can with a server of ours", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const env = { KEELSON_ROUTINES_URL: server.url, KEELSON_ROUTINES_TOKEN: server.token };
  let id = "";
  let session = "";
  const inputs: (() => any)[] = [
    () => ({ action: "create", body: { name: "Nightly", prompt: "Run the tests", cron_expression: "0 3 * * *" } }),
    () => ({ action: "list" }),
    () => ({ action: "get", trigger_id: id }),
    () => ({ action: "run", trigger_id: id, body: { text: "only the slow ones" } }),
    () => ({ action: "list_runs", trigger_id: id }),
    () => ({ action: "get_run_log", session_id: session }),
    () => ({ action: "create_webhook_trigger", trigger_id: id, body: { kind: "http" } }),
    () => ({ action: "update", trigger_id: id, body: { enabled: false } }),
    () => ({ action: "get", trigger_id: "trig_other" }),
  ];
  await using model = await startMockModel(({ messages }: any) => {
    const said = JSON.stringify(messages);
    id = /trig_[0-9a-f]{32}/.exec(said)?.[0] ?? id;
    session = /session_id[^0-9a-f]{3,9}([0-9a-f-]{36})/.exec(said)?.[1] ?? session;
    const done = messages
      .flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
      .filter(isResult).length;
    return done < inputs.length ? { calls: [{ name: "RemoteTrigger", input: inputs[done]!() }] } : { text: "done" };
  });
  const flags = ["--allowedTools", "RemoteTrigger"];
  const outputs = toolUseResults(await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env }));
  expect(outputs.map(({ status }) => status)).toEqual([201, 200, 200, 202, 200, 200, 201, 200, 404]);
  expect(outputs.map(({ summary }) => summary)).toEqual([
    expect.stringMatching(/^Nightly \(trig_\w+\), next run \d{4}-/),
    "1 routine",
    expect.stringMatching(/^Nightly \(trig_\w+\), next run \d{4}-/),
    `Started session ${session}`,
    "1 run",
    undefined,
    expect.anything(),
    expect.stringMatching(/^Nightly \(trig_\w+\), disabled$/),
    "There is no such routine",
  ]);
  // The token of the webhook is in a file, and works. The first run has not ended.
  const folder = join(home.home, ".claude", "routine-secrets");
  const saved = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]!), "utf8"));
  expect(JSON.stringify(outputs)).not.toContain(saved.token);
  await server.call("PATCH", `/v1/code/triggers/${id}`, { enabled: true });
  const fired = await request(server.url, saved.token, "POST", new URL(JSON.parse(outputs[6].json).url).pathname, {
    any: "body",
  });
  expect(fired).toMatchObject({ status: 200, json: { type: "routine_fire", state: "skipped" } });
});

const isResult = ({ type }: any) => type === "tool_result";

test("keelson routines creates, lists, runs, exports and imports", async () => {
  using home = temporaryHome();
  await using server = await serving({ home, args: ["--role", "api"] });
  const env = { KEELSON_ROUTINES_URL: server.url, KEELSON_ROUTINES_TOKEN: server.token, TZ: "Europe/Berlin" };
  const run = (args: readonly string[], stdin?: string) =>
    runKeelson(["routines", ...args], { home, env, ...(stdin === undefined ? {} : { stdin }) });

  const made = await run(
    ["create", "--called", "Weekly", "--cron", "0 9 * * 1", "--source", "https://x.test/r.git"],
    "Tidy up",
  );
  expect([made.stderr, made.code]).toEqual(["", 0]);
  const id = /^trig_\w+/.exec(made.stdout)![0];
  const { json } = await server.call("GET", `/v1/code/triggers/${id}`);
  expect(json).toMatchObject({ prompt: "Tidy up", zone: "Europe/Berlin", sources: [{ url: "https://x.test/r.git" }] });
  expect((await run(["list"])).stdout).toBe(`${id}  Weekly  ${json.next_run_at} (${json.schedule_text})\n`);

  const exported = await run(["export", id]);
  const copy = await run(["import", "-"], exported.stdout.replace("Weekly", "Copy"));
  expect([copy.code, copy.stdout]).toEqual([0, expect.stringContaining("Copy")]);
  expect(JSON.parse((await run(["list", "--json"])).stdout)).toHaveLength(2);

  // Also what only other servers know.
  const more = { ccr: { outcomes: [1], session_context: { seed: 2 } }, beside: 3 };
  await server.call("PATCH", `/v1/code/triggers/${id}`, { job_config: more });
  const nested = JSON.parse((await run(["export", id])).stdout);
  expect(nested.job_config).toEqual(more);
  const third = await run(["import", "--json", "-"], JSON.stringify({ ...nested, prompt: "Other", name: "Third" }));
  expect(JSON.parse(third.stdout)).toMatchObject({ prompt: "Other", zone: "Europe/Berlin", job_config: more });
  await server.call("DELETE", `/v1/code/triggers/${JSON.parse(third.stdout).id}`);

  const started = (await run(["run", id, "--text", "All of it"])).stdout.trim();
  await server.call("POST", `/v1/runs/${started}/cancel`, {});
  expect(await run(["logs", started])).toMatchObject({ code: 1, stderr: "cancelled: Cancelled by tests\n" });

  for (const [args, message] of [
    [["run", "trig_other"], "the server refused (404): There is no such routine"],
    [
      ["create", "--called", "x", "--prompt", "y", "--cron", "* * * * *"],
      "cron_expression: Runs would be 1 minute apart",
    ],
    [["import", "nowhere.json"], "cannot be read"],
    [["logs"], "usage: keelson routines logs RUN"],
  ] as const) {
    const { code, stderr } = await run(args);
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(message)]);
  }
  const nowhere = await runKeelson(["routines", "list"], { home });
  expect(nowhere.stderr).toContain("set KEELSON_ROUTINES_URL");
});
