// What takes more than one run or one prompt to see: a session that is left and taken up again, clients that change
// things, settings that change underneath, hooks that end later than what they were about.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import {
  readTranscript,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type Running,
  type TemporaryHome,
} from "@keelson/testkit";
import {
  answer,
  CHAT,
  control,
  kindOf,
  messagesOf,
  prompt,
  resultOf,
  spoken,
  STREAM,
} from "../../sessions/front-door.ts";
import { furnish } from "./furnish.ts";
import { gone } from "../../sessions/processes.ts";
import { toldTo } from "./observe.ts";
import { bash, DONE, exits, listens, prints, says, script, TOUCH, type Hooks } from "./row.ts";
import { HAIKU, SONNET } from "../../models.ts";

const LIMIT = 60_000;
const story = (name: string, act: () => Promise<void>) => test.concurrent(name, act, LIMIT);

/** A home with these hooks, and how to start the program in it. */
function furnished(hooks: Hooks, settings?: object) {
  const home = temporaryHome();
  furnish(home, settings ? { hooks, settings } : { hooks });
  return { home, options: { home, env: { TOLD: join(home.root, "told") }, timeoutMs: LIMIT - 10_000 } };
}

const events = (home: TemporaryHome) => toldTo(home).map(({ hook_event_name }) => hook_event_name);
const has = (home: TemporaryHome, path: string) => existsSync(join(home.project, path));
/** All a request says, as text. */
const textOf = (request: { readonly body: any }) => JSON.stringify(request.body.messages);

/** Sends a prompt and waits for its result. */
async function ask(program: Running, text: string): Promise<any> {
  const after = program.lines.at(-1);
  program.send(prompt(text));
  const line = await program.waitForLine(({ type }) => type === "result", after ? { after } : {});
  return line.json;
}

let requests = 0;
async function request(program: Running, body: object): Promise<any> {
  const id = `request-${++requests}`;
  program.send(control(id, body));
  const { json } = await program.waitForLine((line) => line.response?.request_id === id);
  return (json as any).response;
}

async function leave(program: Running) {
  program.closeStdin();
  return program.done;
}

story("a call that was put off runs when the session is resumed and the hook agrees", async () => {
  const { home, options } = furnished({
    PreToolUse: [
      script(
        `[ -e agreed ] || echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'`,
      ),
    ],
  });
  using _home = home;
  await using model = await startMockModel([{ calls: [TOUCH] }, DONE]);
  const first = await runKeelson(["-p", "go", ...STREAM], { ...options, url: model.url });
  const { session_id: id, deferred_tool_use: deferred } = resultOf(first);
  expect({ deferred, ran: has(home, "ran") }).toEqual({
    deferred: { id: "call_1_1", name: "Bash", input: { command: "touch ran" } },
    ran: false,
  });

  // Still put off: it ends the same way, without a request.
  const again = await runKeelson(["-p", "and now?", "--resume", id, ...STREAM], { ...options, url: model.url });
  expect({ ends: resultOf(again).terminal_reason, asked: model.requests.length }).toEqual({
    ends: "tool_deferred",
    asked: 1,
  });

  home.write("agreed", "");
  const last = await runKeelson(["-p", "go on", "--resume", id, ...STREAM], { ...options, url: model.url });
  expect({ text: resultOf(last).result, ran: has(home, "ran") }).toEqual({ text: "done", ran: true });
  expect(spoken(model.requests[1]!).flatMap(({ content }) => content)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "tool_use", id: "call_1_1" }),
      expect.objectContaining({ type: "tool_result", tool_use_id: "call_1_1", is_error: false }),
      expect.objectContaining({ text: "go on" }),
    ]),
  );
});

story("SessionStart knows a start from a resume and a fork, and the title", async () => {
  const { home, options } = furnished({ SessionStart: [listens] });
  using _home = home;
  await using model = await startMockModel(() => DONE);
  const run = (...flags: readonly string[]) =>
    runKeelson(["-p", "go", "--output-format", "json", ...flags], { ...options, url: model.url });
  const { session_id: id } = JSON.parse((await run("--name", "Mending")).stdout);
  await run("--resume", id);
  await run("--resume", id, "--fork-session");
  const starts = toldTo(home).map(({ session_id, source, session_title }) => ({
    same: session_id === id,
    source,
    session_title,
  }));
  expect(starts).toEqual([
    { same: true, source: "startup", session_title: "Mending" },
    { same: true, source: "resume", session_title: "Mending" },
    { same: false, source: "fork", session_title: "Mending" },
  ]);
});

story("SessionStart may begin the conversation", async () => {
  const { home, options } = furnished({
    SessionStart: [says("SessionStart", { initialUserMessage: "Read the plan first" })],
  });
  using _home = home;
  await using model = await startMockModel([{ text: "read" }, DONE]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { ...options, url: model.url });
  expect(
    model.requests.map((each) =>
      spoken(each)
        .at(-1)
        .content.map(({ text }: any) => text),
    ),
  ).toEqual([["Read the plan first"], ["go"]]);
  expect(messagesOf(ended, "result").at(-1).result).toBe("done");
});

story("what start hooks do is on the stream before everything else", async () => {
  const { home, options } = furnished({ Setup: [listens], SessionStart: [listens], UserPromptSubmit: [listens] });
  using _home = home;
  await using model = await startMockModel([DONE]);
  const flags = ["--init", "--include-hook-events", ...STREAM];
  const ended = await runKeelson(["-p", "go", ...flags], { ...options, url: model.url });
  expect(ended.messages.slice(0, 7).map((line) => [kindOf(line), line.hook_name].filter(Boolean).join(" "))).toEqual([
    "system/hook_started Setup:init",
    "system/hook_response Setup:init",
    "system/hook_started SessionStart:startup",
    "system/hook_response SessionStart:startup",
    "system/hook_started UserPromptSubmit",
    "system/hook_response UserPromptSubmit",
    "system/init",
  ]);
});

story("a hook may name the session", async () => {
  const { home, options } = furnished({
    UserPromptSubmit: [says("UserPromptSubmit", { sessionTitle: "Mending the roof" })],
  });
  using _home = home;
  await using model = await startMockModel([DONE]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { ...options, url: model.url });
  expect(readTranscript(home)).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: "custom-title", customTitle: "Mending the roof" })]),
  );
  expect(messagesOf(ended, "system/session_title_changed")).toMatchObject([{ title: "Mending the roof" }]);
});

story("--init-only runs the hooks of a first start and asks no model", async () => {
  const { home, options } = furnished({
    Setup: [script("touch installed", { matcher: "init" }), script("touch upkeep", { matcher: "maintenance" })],
    SessionStart: [listens],
  });
  using _home = home;
  await using model = await startMockModel([]);
  const { code, stdout } = await runKeelson(["--init-only"], { ...options, url: model.url });
  expect({ code, stdout, asked: model.requests.length, told: events(home), upkeep: has(home, "upkeep") }).toEqual({
    code: 0,
    stdout: "",
    asked: 0,
    told: ["Setup", "SessionStart"],
    upkeep: false,
  });
});

story("a rule that comes with a hook's yes is kept where it says", async () => {
  const rules = [{ toolName: "Bash", ruleContent: "touch *" }];
  const keep = { type: "addRules", behavior: "allow", destination: "localSettings", rules };
  const { home, options } = furnished(
    { PermissionRequest: [says("PermissionRequest", { decision: { behavior: "allow", updatedPermissions: [keep] } })] },
    {},
  );
  using _home = home;
  await using model = await startMockModel([{ calls: [TOUCH] }, DONE]);
  await runKeelson(["-p", "go"], { ...options, url: model.url });
  expect(JSON.parse(home.read(".claude/settings.local.json")).permissions).toEqual({ allow: ["Bash(touch *)"] });
});

story("a client's model change is put to hooks, and told to them and to the model", async () => {
  const { home, options } = furnished({
    PreModelSwitch: [
      script(
        `case "$input" in *opus*) echo '{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"too dear"}}' ;; esac`,
      ),
    ],
    PostModelSwitch: [says("PostModelSwitch", { additionalContext: "smaller now" })],
  });
  using _home = home;
  await using model = await startMockModel(() => DONE);
  await using program = startKeelson(["-p", ...CHAT], { ...options, url: model.url, stdin: "open" });
  await ask(program, "one");
  const refused = await request(program, { subtype: "set_model", model: "opus" });
  const changed = await request(program, { subtype: "set_model", model: "haiku" });
  await ask(program, "two");
  await leave(program);
  expect({ refused: refused.error, changed: changed.response, now: model.requests[1]!.body.model }).toEqual({
    refused: "too dear",
    changed: { model: HAIKU },
    now: HAIKU,
  });
  expect(textOf(model.requests[1]!)).toContain("PostModelSwitch hook additional context: smaller now");
  expect(
    toldTo(home).map(({ hook_event_name, from_model, to_model, requested_model, source }) => ({
      hook_event_name,
      from_model,
      to_model,
      requested_model,
      source,
    })),
  ).toEqual(
    ["PreModelSwitch opus", "PreModelSwitch haiku", "PostModelSwitch haiku"].map((each) => {
      const [hook_event_name, requested_model] = each.split(" ") as [string, string];
      const to_model = requested_model === "haiku" ? HAIKU : expect.stringContaining("opus");
      return { hook_event_name, from_model: SONNET, to_model, requested_model, source: "sdk" };
    }),
  );
});

for (const [name, form] of Object.entries({
  "exit 2": exits(2, "frozen"),
  "decision block": prints({ decision: "block", reason: "frozen" }),
})) {
  story(`a settings change that ConfigChange refuses (${name}) does not count`, async () => {
    const { home, options } = furnished({ ConfigChange: [{ ...form, matcher: "user_settings" }] });
    using _home = home;
    await using model = await startMockModel([DONE, { calls: [TOUCH] }, DONE]);
    await using program = startKeelson(["-p", ...CHAT], { ...options, url: model.url, stdin: "open" });
    await ask(program, "one");
    home.settings({ permissions: { deny: ["Bash"] } });
    await ask(program, "two");
    await leave(program);
    expect({ ran: has(home, "ran"), told: toldTo(home).map(({ source, file_path }) => [source, file_path]) }).toEqual({
      ran: true,
      told: [["user_settings", join(home.configDir, "settings.json")]],
    });
  });
}

story("a settings change that nobody refuses counts, hooks and all", async () => {
  const { home, options } = furnished({ ConfigChange: [{ ...exits(1, "whatever"), matcher: "project_settings" }] });
  using _home = home;
  await using model = await startMockModel([DONE, { calls: [TOUCH] }, DONE]);
  await using program = startKeelson(["-p", ...CHAT], { ...options, url: model.url, stdin: "open" });
  await ask(program, "one");
  home.write(".claude/settings.json", {
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "echo new here >&2; exit 2" }] }] },
  });
  await ask(program, "two");
  await leave(program);
  expect({ ran: has(home, "ran"), told: events(home) }).toEqual({ ran: false, told: ["ConfigChange"] });
  expect(textOf(model.requests[2]!)).toContain("new here");
});

story("DirectoryAdded is told of a folder that a client adds", async () => {
  const { home, options } = furnished({
    DirectoryAdded: [
      { ...listens, matcher: "register_repo_root" },
      { ...script("touch slash"), matcher: "slash_command" },
    ],
  });
  using _home = home;
  home.write("beside/a.txt", "a");
  const directory = join(home.project, "beside");
  await using model = await startMockModel([DONE]);
  await using program = startKeelson(["-p", ...CHAT], { ...options, url: model.url, stdin: "open" });
  await ask(program, "one");
  await request(program, { subtype: "register_repo_root", directory });
  await leave(program);
  expect(toldTo(home).map(({ directory, source }) => ({ directory, source }))).toEqual([
    { directory, source: "register_repo_root" },
  ]);
  expect(has(home, "slash")).toBe(false);
});

story("asyncRewake: exit 2 after the run was over starts another", async () => {
  const { home, options } = furnished({
    Stop: [
      script('until [ -e go ]; do sleep 0.05; done; [ -e told ] && exit 0; touch told; echo "it broke" >&2; exit 2', {
        asyncRewake: true,
      }),
    ],
  });
  using _home = home;
  await using model = await startMockModel([DONE, { text: "mended" }]);
  await using program = startKeelson(["-p", ...CHAT], { ...options, url: model.url, stdin: "open" });
  const first = await ask(program, "one");
  home.write("go", "");
  const { json } = await program.waitForLine(({ result }) => result === "mended");
  await leave(program);
  expect([first.result, (json as any).result]).toEqual(["done", "mended"]);
  expect(textOf(model.requests[1]!)).toContain("it broke");
});

for (const [event, calls] of [
  ["PreToolUse", [{ calls: [TOUCH] }]],
  ["PostToolUse", [{ calls: [TOUCH] }]],
  ["Stop", [DONE]],
  ["UserPromptSubmit", []],
] as const) {
  story(`an interrupt ends a ${event} hook that hangs`, async () => {
    const { home, options } = furnished({ [event]: [script('echo $$ > "$TOLD.pid"; [ -e free ] || sleep 300')] });
    using _home = home;
    await using model = await startMockModel([...calls, DONE]);
    await using program = startKeelson(["-p", ...CHAT], { ...options, url: model.url, stdin: "open" });
    const first = ask(program, "one");
    while (!existsSync(join(home.root, "told.pid"))) await Bun.sleep(10);
    home.write("free", "");
    await request(program, { subtype: "interrupt" });
    expect((await first).subtype).toBe(event === "Stop" ? "success" : "error_during_execution");
    const pid = Number(await Bun.file(join(home.root, "told.pid")).text());
    await leave(program);
    await gone(pid);
  });
}

story("a client's own functions decide as scripts do, and are not shown on the stream", async () => {
  const { home, options } = furnished({});
  using _home = home;
  await using model = await startMockModel([{ calls: [TOUCH, bash("touch other")] }, DONE]);
  await using program = startKeelson(["-p", ...CHAT, "--include-hook-events"], {
    ...options,
    url: model.url,
    stdin: "open",
  });
  const hooks = {
    PreToolUse: [{ matcher: "Bash", hookCallbackIds: ["guard"] }],
    Stop: [{ matcher: null, hookCallbackIds: ["stop"] }],
  };
  await request(program, { subtype: "initialize", hooks });
  program.send(prompt("one"));
  const asked: JsonObject[] = [];
  for (let after = program.lines.at(-1); ;) {
    const line = await program.waitForLine(
      ({ type }) => type === "result" || type === "control_request",
      after ? { after } : {},
    );
    const { type, request_id: id, request: body } = line.json as any;
    if (type === "result") break;
    asked.push({ call: body.callback_id, subtype: body.subtype, event: body.input.hook_event_name });
    const denies = body.input.tool_input?.command === "touch ran";
    const output = {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "not this one",
    };
    program.send(answer(id, denies ? { hookSpecificOutput: output } : {}));
    after = line;
  }
  const ended = await leave(program);
  expect(asked).toEqual([
    { call: "guard", subtype: "hook_callback", event: "PreToolUse" },
    { call: "guard", subtype: "hook_callback", event: "PreToolUse" },
    { call: "stop", subtype: "hook_callback", event: "Stop" },
  ]);
  expect({ ran: has(home, "ran"), other: has(home, "other") }).toEqual({ ran: false, other: true });
  expect(textOf(model.requests[1]!)).toContain("PreToolUse:Bash hook error: not this one");
  expect(ended.messages.filter(({ subtype }) => String(subtype).startsWith("hook_"))).toEqual([]);
});

story("text output: a blocked prompt and a broken hook are said, and the exit code is good", async () => {
  const { home, options } = furnished({ UserPromptSubmit: [exits(2, "no secrets"), exits(1, "broken")] });
  using _home = home;
  await using model = await startMockModel([]);
  const { code, stdout, stderr } = await runKeelson(["-p", "my password is x"], { ...options, url: model.url });
  expect({ code, stdout, asked: model.requests.length }).toEqual({
    code: 0,
    stdout: `A hook blocked this prompt: [.claude/hooks/UserPromptSubmit-1]: no secrets\n\nOriginal prompt: my password is x\n`,
    asked: 0,
  });
  expect(stderr).toContain("exited with code 1: broken");
});

story("the trace has every firing of a session", async () => {
  const { home, options } = furnished({ PreToolUse: [exits(2, "no")], Stop: [listens], SessionEnd: [listens] });
  using _home = home;
  await using model = await startMockModel([{ calls: [TOUCH] }, DONE]);
  await runKeelson(["-p", "go"], { ...options, url: model.url });
  const { stdout } = await runKeelson(["hooks", "trace", "--json"], options);
  const { firings } = JSON.parse(stdout);
  expect(firings.map(({ label, run }: any) => [label, run.exitCode])).toEqual([
    ["PreToolUse:Bash", 2],
    ["Stop", 0],
    ["SessionEnd:other", 0],
  ]);
  expect(firings.map(({ input }: any) => input)).toEqual(toldTo(home));
});
