// What a handler's exit code, stderr, broken output or failure means, and the replies of prompts and agents.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { HOOK_EVENTS, type HookEvent, type HookHandler, type HookRun } from "@keelson/protocol";
import { EVENT_FACTS } from "../event-facts.ts";
import { foldReplies } from "./aggregator.ts";
import { readReply, type HookReply } from "./reply.ts";
import { aboutOf, exit, guard, notStarted, reply, specific, timedOut } from "./reply.test-support.ts";

const http: HookHandler = { type: "http", url: "http://127.0.0.1/hook" };
const callback: HookHandler = { type: "callback", callbackId: "hook_0", client: "client-1" };
const strict: HookHandler = { type: "command", command: "guard.sh", onFailure: "block" };

test.each<[HookEvent, string]>([
  ["PreToolUse", "PreToolUse:Bash hook error: [guard.sh]: not here"],
  ["PostToolUse", 'PostToolUse:Bash hook blocking error from command: "guard.sh": [guard.sh]: not here'],
  ["PostToolUseFailure", 'PostToolUseFailure:Bash hook blocking error from command: "guard.sh": [guard.sh]: not here'],
  ["UserPromptSubmit", "[guard.sh]: not here"],
  ["UserPromptExpansion", "[guard.sh]: not here"],
  ["Stop", "[guard.sh]: not here"],
  ["SubagentStop", "[guard.sh]: not here"],
  ["PreCompact", "[guard.sh]: not here"],
  ["PreModelSwitch", "[guard.sh]: not here"],
  ["TaskCreated", "TaskCreated hook feedback:\n[guard.sh]: not here"],
  ["TaskCompleted", "TaskCompleted hook feedback:\n[guard.sh]: not here"],
  ["TeammateIdle", "TeammateIdle hook feedback:\n[guard.sh]: not here"],
  ["Elicitation", "[guard.sh]: not here"],
  ["ElicitationResult", "[guard.sh]: not here"],
  ["ConfigChange", "[guard.sh]: not here"],
  ["WorktreeCreate", "[guard.sh]: not here"],
])("exit 2 on %s blocks: %j", (event, reason) => {
  expect(reply(event, exit(2, "", "not here\n"))).toEqual({ verdict: "deny", reason, context: [] });
});

test("exit 2 after a batch of tools also ends the run", () => {
  const reason = 'PostToolBatch hook blocking error from command: "guard.sh": [guard.sh]: enough';
  expect(reply("PostToolBatch", exit(2, "", "enough"))).toEqual({ verdict: "deny", reason, context: [], stop: reason });
});

test("on every other event, exit 2 is reported to people and stops nothing", () => {
  const others = HOOK_EVENTS.filter((event) => EVENT_FACTS[event].exit2 === "reported");
  expect(others.length).toBe(16);
  for (const event of others) {
    const { label } = aboutOf(event);
    expect(reply(event, exit(2, "", "not here"))).toEqual({
      context: [],
      problem: `"guard.sh" exited with code 2, which does not block ${label}: not here`,
    });
  }
});

test("exit 2 needs no message, and a message on stdout works too", () => {
  const reasons = [exit(2), exit(2, "on stdout\n"), exit(2, "out", "err"), exit(2, '{"half":')].map(
    (run) => reply("Stop", run).reason,
  );
  expect(reasons).toEqual([
    "[guard.sh]: No stderr output",
    "[guard.sh]: on stdout",
    "[guard.sh]: err",
    "[guard.sh]: No stderr output",
  ]);
});

test("half-written JSON blocks with exit 2, and is only a problem with exit 0", () => {
  const half = '{"hookSpecificOutput":{"permissionDecision":"allow"';
  expect(reply("PreToolUse", exit(2, half, "died"))).toEqual({
    verdict: "deny",
    reason: "PreToolUse:Bash hook error: [guard.sh]: died",
    context: [],
  });
  expect(reply("PreToolUse", exit(0, half))).toEqual({
    context: [],
    problem: '"guard.sh" printed JSON that could not be read',
  });
  expect(reply("UserPromptSubmit", exit(0, half)).context).toEqual([]);
});

test.each(["allow", "ask", "defer"])("exit 2 overrides %s in the JSON, whose other fields still apply", (decision) => {
  const json = specific(
    "PreToolUse",
    { permissionDecision: decision, additionalContext: "look", updatedInput: { a: 1 } },
    { systemMessage: "hm" },
  );
  expect(reply("PreToolUse", exit(2, json, "no"))).toEqual({
    verdict: "deny",
    reason: "PreToolUse:Bash hook error: [guard.sh]: no",
    context: ["PreToolUse:Bash hook additional context: look"],
    systemMessage: "hm",
  });
});

test("JSON is read with every exit code", () => {
  const deny = specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "because" });
  for (const code of [0, 1, 2, 127]) {
    expect(reply("PreToolUse", exit(code, deny, "noise"))).toEqual({ verdict: "deny", reason: "because", context: [] });
  }
});

test("any other exit code is reported to people, and no output reaches the model", () => {
  expect(reply("UserPromptSubmit", exit(1, "some text", "boom\nat line 3"))).toEqual({
    context: [],
    problem: '"guard.sh" exited with code 1: boom at line 3',
  });
  expect(reply("Stop", notStarted)).toEqual({ context: [], problem: '"guard.sh" failed: It could not be started' });
});

test("plain text goes to the model if the event passes it on", () => {
  expect(reply("SessionStart", exit(0, "hello\n"))).toEqual({ context: ["SessionStart:startup hook success: hello"] });
  expect(reply("UserPromptSubmit", exit(0, "hello")).context).toEqual(["UserPromptSubmit hook success: hello"]);
  const silent = HOOK_EVENTS.filter((event) => !EVENT_FACTS[event].plainText && event !== "WorktreeCreate");
  for (const event of silent) expect([event, reply(event, exit(0, "hello"))]).toEqual([event, { context: [] }]);
});

test("a hook that timed out decides nothing, whatever it printed", () => {
  expect(reply("PreToolUse", timedOut)).toEqual({
    context: [],
    problem: '"guard.sh" failed: It did not end within 5 s',
  });
});

test("a client's callback that timed out blocks a tool call and a prompt, and nothing else", () => {
  expect(reply("PreToolUse", timedOut, callback)).toEqual({
    verdict: "deny",
    reason: "PreToolUse:Bash hook error: [callback hook_0]: It did not end within 5 s",
    context: [],
  });
  expect(reply("UserPromptSubmit", timedOut, callback).verdict).toBe("deny");
  expect(reply("PostToolUse", timedOut, callback)).toEqual({
    context: [],
    problem: '"callback hook_0" failed: It did not end within 5 s',
  });
});

test.each<[string, HookRun, string]>([
  ["did not start", notStarted, "It could not be started"],
  ["timed out", timedOut, "It did not end within 5 s"],
  ["ended badly", exit(1, "", "boom"), "boom"],
  ["failed without output", exit(7), "exited with code 7"],
  ["failed but allowed", exit(1, specific("PreToolUse", { permissionDecision: "allow" })), "exited with code 1"],
  ["printed broken JSON", exit(0, "{"), "printed JSON that could not be read"],
])('onFailure "block" blocks when the hook %s', (_, run, why) => {
  expect(reply("PreToolUse", run, strict)).toEqual({
    verdict: "deny",
    reason: `PreToolUse:Bash hook error: [guard.sh]: ${why}`,
    context: [],
  });
});

test('onFailure "block" says nothing when the hook works, and is ignored where a block means going on', () => {
  expect(reply("PreToolUse", exit(0), strict)).toEqual({ context: [] });
  for (const event of ["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle", "SessionStart"] as const) {
    expect(reply(event, exit(1), strict)).toEqual({ context: [], problem: '"guard.sh" exited with code 1' });
  }
  const later: HookHandler = { type: "command", command: "x", async: true, onFailure: "block" };
  expect(reply("PreToolUse", exit(1), later)).toEqual({ context: [], async: {} });
  expect(reply("PreToolUse", notStarted, { ...callback, onFailure: "block" }).verdict).toBe("deny");
});

test("an HTTP response is JSON or nothing; text is a problem, and a status never blocks", () => {
  expect(reply("UserPromptSubmit", exit(0, ""), http)).toEqual({ context: [] });
  expect(reply("UserPromptSubmit", exit(0, "OK"), http)).toEqual({
    context: [],
    problem: '"http://127.0.0.1/hook" answered with something other than a JSON object',
  });
  expect(reply("PreToolUse", exit(0, { decision: "block", reason: "no" }), http).reason).toBe("no");
  const refused: HookRun = { ...notStarted, problem: "The server answered 500" };
  expect(reply("PreToolUse", refused, http)).toEqual({
    context: [],
    problem: '"http://127.0.0.1/hook" failed: The server answered 500',
  });
  expect(reply("PreToolUse", refused, { ...http, onFailure: "block" }).verdict).toBe("deny");
});

test("a hook may announce that it continues in the background", () => {
  expect(reply("PreToolUse", exit(0, { async: true, asyncTimeout: 900 }))).toEqual({
    context: [],
    async: { timeoutMs: 900 },
  });
  expect(reply("PreToolUse", exit(0, '{"async":true}\n{"decision":"block"}'))).toEqual({ context: [], async: {} });
  expect(reply("PreToolUse", exit(0, '{"a":1}\n{"b":2}')).problem).toBe(
    '"guard.sh" printed JSON that could not be read',
  );
  const rewake: HookHandler = { type: "command", command: "x", asyncRewake: true };
  expect(reply("PreToolUse", exit(2, "", "no"), rewake)).toEqual({ context: [], async: {} });
});

test("the new worktree's folder is the last line printed, or the one in the JSON; without one it fails", () => {
  const made = (run: HookRun, handler = guard) => reply("WorktreeCreate", run, handler);
  const at = (path: string): HookReply => ({ context: [], fields: { worktreePath: path } });
  expect(made(exit(0, "Preparing\n/w/one\n\n"))).toEqual(at("/w/one"));
  expect(made(exit(0, specific("WorktreeCreate", { worktreePath: "/w/two" })), http)).toEqual(at("/w/two"));
  expect(made(exit(0, "")).reason).toBe("[guard.sh]: did not name a folder for the worktree");
  expect(made(exit(0, "{}")).verdict).toBe("deny");
  expect(made(exit(1, "/w/one", "disk full"))).toEqual({
    verdict: "deny",
    reason: "[guard.sh]: disk full",
    context: [],
  });
});

test("no hook can block a policy change", () => {
  const of = (run: HookRun, source: string) => reply("ConfigChange", run, strict, source).verdict;
  const runs = [exit(2, "", "no"), exit(0, { decision: "block", reason: "no" }), exit(1)];
  expect(runs.map((run) => of(run, "policy_settings"))).toEqual([undefined, undefined, undefined]);
  expect(runs.map((run) => of(run, "user_settings"))).toEqual(["deny", "deny", "deny"]);
});

const prompt: HookHandler = { type: "prompt", prompt: "Is it safe?" };
const patient: HookHandler = { type: "prompt", prompt: "Is it safe?", continueOnBlock: true };
const agent: HookHandler = { type: "agent", prompt: "Is it safe?" };
const no = exit(0, { ok: false, reason: "it is not" });

test.each<[string, HookEvent, HookHandler, HookReply]>([
  [
    "a prompt hook's no to a tool call ends the turn",
    "PreToolUse",
    prompt,
    {
      verdict: "deny",
      reason: "PreToolUse:Bash hook error: [Is it safe?]: it is not",
      context: [],
      stop: "it is not",
    },
  ],
  [
    "unless continueOnBlock is set",
    "PreToolUse",
    patient,
    { verdict: "deny", reason: "PreToolUse:Bash hook error: [Is it safe?]: it is not", context: [] },
  ],
  [
    "an agent hook's no never does",
    "PreToolUse",
    agent,
    {
      verdict: "deny",
      reason: "PreToolUse:Bash hook error: Agent hook condition was not met: it is not",
      context: [],
    },
  ],
  [
    "a prompt hook's no to stopping means more work",
    "Stop",
    prompt,
    { verdict: "deny", reason: "[Is it safe?]: it is not", context: [] },
  ],
  [
    "so does an agent hook's",
    "SubagentStop",
    agent,
    { verdict: "deny", reason: "Agent hook condition was not met: it is not", context: [] },
  ],
  [
    "after a tool, it is a reminder",
    "PostToolUse",
    patient,
    {
      verdict: "deny",
      reason: 'PostToolUse:Bash hook blocking error from command: "Is it safe?": [Is it safe?]: it is not',
      context: [],
    },
  ],
  [
    "a permission request is answered",
    "PermissionRequest",
    agent,
    { context: [], permission: { behavior: "deny", message: "it is not" } },
  ],
  [
    "a task that may not be created cannot end the turn",
    "TaskCreated",
    prompt,
    { verdict: "deny", reason: "TaskCreated hook feedback:\n[Is it safe?]: it is not", context: [] },
  ],
])("%s", (_, event, handler, expected) => {
  expect(reply(event, no, handler)).toEqual(expected);
});

test("a prompt hook's yes has no effect, and an answer that is neither yes nor no is a problem", () => {
  expect(reply("PreToolUse", exit(0, { ok: true, reason: "fine" }), prompt)).toEqual({ context: [] });
  expect(reply("PreToolUse", exit(0, "certainly"), prompt)).toEqual({
    context: [],
    problem: '"Is it safe?" returned an answer that could not be read',
  });
  expect(reply("PreToolUse", notStarted, agent).problem).toBe('"Is it safe?" failed: It could not be started');
  expect(reply("PreToolUse", { ...timedOut, problem: undefined }, agent)).toEqual({ context: [] });
  expect(reply("PreToolUse", exit(0, { ok: false }), patient).reason).toEndWith("without giving a reason");
});

test("long texts are cut, with a note", () => {
  const long = "x".repeat(50_000);
  const texts = [
    reply("PreToolUse", exit(2, "", long)).reason,
    reply("UserPromptSubmit", exit(0, long)).context[0],
    reply("Stop", exit(0, { decision: "block", reason: long })).reason,
    reply("PreToolUse", exit(0, specific("PreToolUse", { additionalContext: long }))).context[0],
    reply("PreToolUse", exit(0, { continue: false, stopReason: long })).stop,
    reply("PreToolUse", exit(0, { systemMessage: long })).systemMessage,
    reply("PreToolUse", exit(0, { ok: false, reason: long }), agent).reason,
  ];
  for (const text of texts) {
    expect(text!.length).toBeLessThan(10_200);
    expect(text).toMatch(/… \(\d+ more characters of this hook's output were cut\)/);
  }
  expect(reply("PreToolUse", exit(1, "", long)).problem!.length).toBeLessThan(1_000);
  expect(reply("PreToolUse", exit(2), { type: "command", command: long }).reason!.length).toBeLessThan(3_000);
});

test("control sequences are removed from a handler's text; newlines and tabs stay", () => {
  const painted = "\u001b[1;31mno\u001b[0m\t\u001b]0;owned\u0007line\r\nmore\u009b2J \u001b]8;;x\u001b\\link\u0000";
  const plain = "no\tline\nmore2J link";
  const texts = [
    reply(
      "PreToolUse",
      exit(0, specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: painted })),
    ).reason,
    reply("UserPromptSubmit", exit(2, "", painted)).reason,
    reply("UserPromptSubmit", exit(0, painted)).context[0],
    reply("PreToolUse", exit(0, { continue: false, stopReason: painted })).stop,
    reply("PreToolUse", exit(0, { systemMessage: painted })).systemMessage,
    reply(
      "PermissionRequest",
      exit(0, specific("PermissionRequest", { decision: { behavior: "deny", message: painted } })),
    ).permission!,
  ].map((text) => (typeof text === "object" ? (text as { message?: string }).message : text));
  expect(texts).toEqual([
    plain,
    `[guard.sh]: ${plain}`,
    `UserPromptSubmit hook success: ${plain}`,
    plain,
    plain,
    plain,
  ]);
});

test("a problem besides a success or a block is reported and changes nothing", () => {
  const problem = "It printed more than 1 MiB to stdout; the rest was dropped";
  expect(reply("PreToolUse", { ...exit(0, "xxxx"), problem })).toEqual({
    context: [],
    problem: `"guard.sh" reported a problem: ${problem}`,
  });
  expect(reply("PreToolUse", { ...exit(2, "xxxx", "no"), problem })).toEqual({
    verdict: "deny",
    reason: "PreToolUse:Bash hook error: [guard.sh]: no",
    context: [],
    problem: `"guard.sh" reported a problem: ${problem}`,
  });
});

const HANDLERS: readonly HookHandler[] = [
  guard,
  strict,
  http,
  callback,
  prompt,
  patient,
  agent,
  { type: "mcp_tool", server: "s", tool: "t" },
  { type: "command", command: "x", async: true },
];

test("readReply() accepts any bytes for any event, and exit 2 or a deny always blocks where it can", () => {
  const known = fc.constantFrom(
    "hookSpecificOutput",
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "decision",
    "reason",
    "continue",
    "stopReason",
    "systemMessage",
    "terminalSequence",
    "additionalContext",
    "updatedInput",
    "behavior",
    "updatedToolOutput",
    "updatedPermissions",
    "async",
    "asyncTimeout",
    "watchPaths",
    "action",
    "ok",
    "__proto__",
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      fc.constantFrom("deny", "allow", "ask", "block", "approve", "PreToolUse", "Stop", true, false),
      fc.dictionary(known, tie("json"), { maxKeys: 6 }),
    ),
  }));
  const stdout = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.dictionary(known, json, { maxKeys: 6 }).map((value) => JSON.stringify(value)),
    json.map((value) => `{"async":true}\n${JSON.stringify(value)}`),
    fc.tuple(fc.dictionary(known, json), fc.nat(40)).map(([value, cut]) => JSON.stringify(value).slice(0, cut)),
  );
  fc.assert(
    fc.property(
      stdout,
      fc.string({ unit: "binary" }),
      fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      fc.constantFrom<HookRun["outcome"]>("success", "error", "cancelled"),
      fc.constantFrom(...HOOK_EVENTS),
      fc.constantFrom(...HANDLERS),
      (out, stderr, exitCode, outcome, event, handler) => {
        const run: HookRun = {
          outcome,
          stdout: out,
          stderr,
          durationMs: 0,
          ...(exitCode !== undefined && { exitCode }),
        };
        const said = readReply(run, aboutOf(event, handler));
        for (const text of [said.reason, said.stop, said.problem, said.systemMessage, ...said.context])
          expect(text === undefined || typeof text === "string").toBe(true);
        if (said.verdict === "deny") expect(said.reason).toBeString();
        if (exitCode === 2 && outcome !== "cancelled" && handler === guard && said.async === undefined)
          expect(said.verdict === "deny").toBe(EVENT_FACTS[event].exit2 === "blocks");
        foldReplies([said]);
      },
    ),
    { numRuns: 500 },
  );
});

test("a handler that could not start or finish for lack of resources says no wherever a handler can", () => {
  const starved: HookRun = { ...notStarted, prevented: "start", problem: "too many open files; raise ulimit -n" };
  const killed: HookRun = { ...exit(137, { decision: "approve" }), prevented: "end", problem: "It was killed" };
  for (const event of HOOK_EVENTS) {
    const { exit2, permission } = EVENT_FACTS[event];
    for (const handler of HANDLERS) {
      for (const run of [starved, killed]) {
        const said = reply(event, run, handler);
        if (said.async) continue; // it decides nothing
        if (exit2 === "blocks") expect(said).toMatchObject({ verdict: "deny", problem: expect.any(String) });
        else if (permission) expect(said.permission).toMatchObject({ behavior: "deny" });
        else expect(said).toMatchObject({ context: [], problem: expect.any(String) });
      }
    }
  }
  expect(reply("PreToolUse", starved).reason).toBe(
    "PreToolUse:Bash hook error: [guard.sh]: This hook could not be run, so what it guards is blocked. too many open files; raise ulimit -n",
  );
});

test("a handler whose program changed says no wherever a handler can, except where that means to keep working", () => {
  const changed: HookRun = { ...notStarted, prevented: "changed", problem: "it changed; restart the session" };
  for (const event of HOOK_EVENTS) {
    const { exit2, permission } = EVENT_FACTS[event];
    const keepsWorking = ["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"].includes(event);
    const said = reply(event, changed);
    if (exit2 === "blocks" && !keepsWorking)
      expect(said).toMatchObject({ verdict: "deny", problem: expect.any(String) });
    else if (permission) expect(said.permission).toMatchObject({ behavior: "deny" });
    else expect(said).toEqual({ context: [], problem: expect.stringContaining("restart the session") });
  }
});

test("a handler that replied before its disk was full has replied", () => {
  const run: HookRun = { ...exit(1, specific("PreToolUse", { permissionDecision: "allow" })), prevented: "end" };
  expect(reply("PreToolUse", run).verdict).toBe("allow");
  expect(reply("PreToolUse", { ...exit(1, "half"), prevented: "end" }).verdict).toBe("deny");
});
