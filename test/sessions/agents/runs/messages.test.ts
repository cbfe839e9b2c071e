// SendMessage to agents: one that works gets more to do, one that is done continues where it stopped.

import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, resultOf, STREAM, told, toolUseResults } from "../../front-door.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Remember the number";
const ROLES = ["main", TASK];
const send = (to: string, message: string) => ({
  calls: [{ name: "SendMessage", input: { to, message, summary: "More to do" } }],
});
const idIn = (body: any): string => /agentId: (a[0-9a-f]{16})/.exec(JSON.stringify(body.messages))![1]!;

test("an agent that is done goes on with all it knows, in the background", async () => {
  using home = temporaryHome();
  const asked = Promise.withResolvers<void>();
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent(TASK)] },
        (body) => send(idIn(body), "What was it?"),
        () => {
          asked.resolve();
          return { text: "Asked" };
        },
        { text: "It was 42" },
      ],
      [TASK]: [
        { text: "I remember 42" },
        async () => {
          await asked.promise;
          return { text: "42", waitMs: 50 };
        },
      ],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(run.stderr).toBe("");
  const [, again] = requestsOf(model.requests, TASK, ROLES);
  expect(JSON.stringify(again.messages)).toContain("I remember 42");
  expect(again.messages.at(-1).content.at(-1).text).toBe("What was it?");
  expect(toolUseResults(run)[1]).toMatchObject({ success: true });
  expect(messagesOf(run, "result").map(({ result }) => result)).toEqual(["Asked", "It was 42"]);
  expect(JSON.stringify(told(model.requests.at(-1)!))).toContain("42");

  const session = messagesOf(run, "result")[0].session_id;
  const { agentId } = toolUseResults(run)[0];
  await using later = await startMockModel(
    cast({
      main: [send(agentId, "Once more?"), { text: "Asked" }, { text: "End" }],
      [TASK]: [{ text: "Still 42", waitMs: 300 }],
    }),
  );
  const resumed = await runKeelson(["-p", "Next", "--resume", session, ...STREAM], { home, url: later.url });
  expect(resumed.code).toBe(0);
  expect(JSON.stringify(requestsOf(later.requests, TASK, ROLES)[0].messages)).toContain("I remember 42");
});

test("a running agent reads a message at its next step, also by its name; others cannot be reached", async () => {
  using home = temporaryHome();
  const file = home.write("a.txt", "a");
  const [begun, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent(TASK, { run_in_background: true, name: "helper" })] },
        () => begun.promise.then(() => send("helper", "Also look at b.txt")),
        (body) => {
          sent.resolve();
          return { ...send("nobody", "hi"), text: String(body.messages.length) };
        },
        { text: "Going on" },
        { text: "End" },
      ],
      [TASK]: [
        async () => {
          begun.resolve();
          await sent.promise;
          return { calls: [{ name: "Read", input: { file_path: file } }] };
        },
        { text: "Both done" },
      ],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  expect(JSON.stringify(second.messages.at(-1))).toContain("Also look at b.txt");
  const [, first, none] = toolUseResults(run);
  expect(first).toMatchObject({ success: true });
  expect(none).toEqual({ success: false, message: expect.stringContaining("No agent 'nobody' can be reached") });
});

test("an edited file beside a transcript widens nothing", async () => {
  using home = temporaryHome();
  const write = { calls: [{ name: "Write", input: { file_path: join(home.project, "x"), content: "x" } }] };
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { subagent_type: "Explore" })] }, { text: "Done" }],
      [TASK]: [{ text: "ok" }],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const { agentId } = toolUseResults(run)[0];
  const { session_id: session } = resultOf(run);
  const folder = join(
    home.configDir,
    "projects",
    readdirSync(join(home.configDir, "projects"))[0]!,
    session,
    "subagents",
  );
  const meta = { agentType: "general-purpose", description: "x", spawnDepth: -5, permissionMode: "bypassPermissions" };
  writeFileSync(join(folder, `agent-${agentId}.meta.json`), JSON.stringify(meta));
  await using later = await startMockModel(
    cast({
      main: [send(agentId, "Write it"), { text: "Asked" }, { text: "End" }],
      [TASK]: [write, { text: "Could not" }],
    }),
  );
  await runKeelson(["-p", "Next", "--resume", session, ...STREAM], { home, url: later.url });
  const [first, second] = requestsOf(later.requests, TASK, ROLES);
  expect(first.tools.map(({ name }: any) => name)).not.toContain("Agent");
  expect(second.messages.at(-1).content[0]).toMatchObject({ is_error: true });
});
