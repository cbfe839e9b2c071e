// The program with fake I/O: no process, no terminal, and a session in memory.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EndReason, AttachOptions, Inbound, Outbound, Session } from "@keelson/protocol";
import { FLAGS } from "./args/flags.ts";
import { COMMANDS } from "./commands.ts";
import { main } from "./main.ts";
import type { WantedSession } from "./open.ts";
import type { EndSignal, ProcessIO } from "./process/process-io.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-cli-")));
  mkdirSync(join(root, "home"));
  mkdirSync(join(root, "project"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const RESULT = { type: "result", subtype: "success", is_error: false, result: "done" };
const never = new Promise<never>(() => undefined);

/** Fake I/O whose session answers every prompt with "done", and a record of what happened. */
function fakeIO(
  options: { stdin?: string; terminal?: boolean; open?: (wanted: WantedSession) => Promise<Session> } = {},
) {
  const seen = {
    out: "",
    err: [] as string[],
    opened: [] as WantedSession[],
    sent: [] as Inbound[],
    attached: [] as (AttachOptions | undefined)[],
    exits: [] as number[],
  };
  const listeners = new Map<EndSignal, () => void>();
  const isPiped = options.stdin !== undefined;
  const made: ProcessIO = {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: {},
    platform: "linux",
    uid: 1000,
    managedDir: join(root, "managed"),
    terminal: { stdin: !isPiped, stdout: options.terminal ?? false },
    sessions: async () => ({
      async open(asked) {
        seen.opened.push(asked);
        return options.open === undefined ? session(seen.sent, {}, seen.attached).session : options.open(asked);
      },
      find: () => undefined,
      all: () => [],
      watch: () => () => undefined,
      joinElsewhere: async () => undefined,
      list: async () => [],
      messages: async () => undefined,
      close: async () => undefined,
    }),
    async *stdin() {
      if (options.stdin) yield new TextEncoder().encode(options.stdin);
    },
    write: (text) => void (seen.out += text),
    error: (text) => void seen.err.push(text),
    append: (file, text) => writeFileSync(join(root, file), text, { flag: "a" }),
    wait: () => never,
    onSignal(signal, listener) {
      listeners.set(signal, listener);
      return () => void listeners.delete(signal);
    },
    exit: (code) => void seen.exits.push(code),
  };
  return { io: made, seen, raise: (signal: EndSignal) => listeners.get(signal)?.(), listeners };
}

/** Answers until closed; with `hangs`, a run ends only when it is stopped. */
function session(
  sent: Inbound[],
  options: { hangs?: boolean; onPrompt?: () => void } = {},
  attached: (AttachOptions | undefined)[] = [],
) {
  const closes: EndReason[] = [];
  const waiting: Outbound[] = [];
  let wake = Promise.withResolvers<void>();
  const isOver = () => closes.some((reason) => !options.hangs || reason !== "end_of_input");
  async function* messages(): AsyncGenerator<Outbound> {
    for (;;) {
      while (waiting.length > 0) yield waiting.shift()!;
      if (isOver()) return;
      await wake.promise;
      wake = Promise.withResolvers<void>();
    }
  }
  const made: Session = {
    id: "s",
    attach(asked) {
      attached.push(asked);
      return {
        id: "client",
        cursor: "e.0",
        messages: messages(),
        send(input) {
          sent.push(input);
          if (input.type === "user" && !options.hangs) waiting.push(RESULT as Outbound);
          options.onPrompt?.();
          wake.resolve();
        },
        detach: () => undefined,
      };
    },
    async close(reason) {
      closes.push(reason);
      wake.resolve();
    },
  };
  return { session: made, closes };
}

const STREAM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json"];
const USER = `${JSON.stringify({ type: "user", message: { role: "user", content: "hi" } })}\n`;

test("-v prints a version that clients can parse, and loads no session", async () => {
  const { io, seen } = fakeIO();
  expect(await main(["-v"], io)).toBe(0);
  expect(seen.out).toMatch(/^\d+\.\d+\.\d+ \(Keelson \d+\.\d+\.\d+\)\n$/);
  expect(seen.opened).toEqual([]);
});

test("--help lists every flag that works, once", async () => {
  const { io, seen } = fakeIO();
  expect(await main(["--help"], io)).toBe(0);
  const listed = Array.from(seen.out.matchAll(/^ +(?:-\w, )?--([\w-]+)/gm), ([, name]) => name!);
  const working = FLAGS.filter(({ help, state }) => help !== undefined && state === undefined).map(({ name }) => name);
  expect(listed.toSorted()).toEqual(working.toSorted());
});

test.each([[], ...COMMANDS.map(({ name }) => [name])])(
  "the help of keelson %s fits in a hundred columns",
  async (...argv) => {
    const { io, seen } = fakeIO();
    expect(await main([...argv, "--help"], io)).toBe(0);
    expect(seen.out).toStartWith(`Usage: keelson ${argv[0] ?? ""}`);
    expect(seen.out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  },
);

const REFUSED: readonly [what: string, argv: string[], message: string][] = [
  ["an unknown flag", ["--nope"], "error: unknown option '--nope' (did you mean --name?)"],
  [
    "stream-json without --verbose",
    ["-p", "x", "--output-format", "stream-json"],
    "error: --output-format=stream-json requires --verbose",
  ],
  [
    "stream input without stream output",
    ["-p", "--input-format", "stream-json"],
    "error: --input-format=stream-json requires --output-format=stream-json",
  ],
  [
    "partial messages in text",
    ["-p", "x", "--include-partial-messages"],
    "error: --include-partial-messages requires --output-format=stream-json",
  ],
  [
    "replay without stream input",
    ["-p", "x", "--output-format", "stream-json", "--verbose", "--replay-user-messages"],
    "error: --replay-user-messages requires --input-format=stream-json",
  ],
  ["an invalid session ID", ["-p", "x", "--session-id", "7"], 'error: invalid session ID "7"; it must be a UUID'],
  [
    "an ID for a resumed session",
    ["-p", "x", "-c", "--session-id", "123e4567-e89b-12d3-a456-426614174000"],
    "error: --session-id with --continue or --resume requires --fork-session",
  ],
  ["continue and resume", ["-p", "x", "-c", "--resume=a"], "error: --continue and --resume cannot be used together"],
  [
    "resume without a session",
    ["-p", "--resume", "--", "x"],
    "error: --resume requires a session ID or name: keelson -p --resume <session>",
  ],
  [
    "a place without a session",
    ["-p", "x", "--resume-session-at", "y"],
    "error: --resume-session-at requires --resume",
  ],
  [
    "unknown sources",
    ["-p", "x", "--setting-sources", "user,me"],
    'error: invalid value "me" for --setting-sources; use user, project or local',
  ],
  [
    "two system prompts",
    ["-p", "x", "--system-prompt", "a", "--system-prompt-file", "b"],
    "error: --system-prompt and --system-prompt-file cannot be used together",
  ],
  [
    "a schema that is not JSON",
    ["-p", "x", "--json-schema", "{"],
    "error: --json-schema is not valid JSON: Expected '}'",
  ],
  [
    "an MCP permission tool",
    ["-p", "x", "--permission-prompt-tool", "other"],
    'error: invalid value "other" for --permission-prompt-tool; use stdio or mcp__SERVER__TOOL',
  ],
  [
    "no prompt",
    ["-p"],
    "error: no prompt; input must be provided either through stdin or as a prompt argument when using --print",
  ],
];

test.each(REFUSED)("%s is refused with exit code 1", async (_what, argv, message) => {
  const { io, seen } = fakeIO({ terminal: true });
  expect(await main(argv, io)).toBe(1);
  expect(seen).toEqual({ out: "", err: [message], opened: [], sent: [], attached: [], exits: [] });
});

test("missing files are named", async () => {
  const { io, seen } = fakeIO();
  const at = (name: string) => join(root, "project", name);
  expect(await main(["-p", "x", "--settings", "no.json"], io)).toBe(1);
  expect(await main(["-p", "x", "--system-prompt-file", "no.md"], io)).toBe(1);
  expect(await main(["-p", "x", "--json-schema", "no.schema"], io)).toBe(1);
  expect(seen.err).toEqual([
    `error: settings file not found: ${at("no.json")}`,
    `error: --system-prompt-file: file not found: ${at("no.md")}`,
    `error: --json-schema: file not found: ${at("no.schema")}`,
  ]);
});

test("a prompt and piped text become one prompt, and the answer is printed", async () => {
  const { io, seen } = fakeIO({ stdin: "data\n" });
  expect(await main(["-p", "ask"], io)).toBe(0);
  expect(seen.out).toBe("done\n");
  expect(seen.sent).toEqual([
    { type: "user", message: { role: "user", content: "ask\ndata\n" }, parent_tool_use_id: null },
  ]);
});

test("piped input alone is enough, also without -p", async () => {
  const { io, seen } = fakeIO({ stdin: "from the pipe", terminal: true });
  expect(await main(["--output-format", "json"], io)).toBe(0);
  expect(JSON.parse(seen.out)).toEqual(RESULT);
});

test("what the flags say reaches the session", async () => {
  writeFileSync(join(root, "project", "prompt.md"), "be brief");
  writeFileSync(join(root, "project", "s.json"), '{"type":"object"}');
  const { io, seen } = fakeIO({ stdin: USER });
  const id = "123E4567-e89b-12d3-a456-426614174000";
  const argv =
    "--include-partial-messages --include-hook-events --forward-subagent-text --maintenance --session-mirror --replay-user-messages --permission-prompt-tool=stdio --model=m --fallback-model=a,b --effort=low " +
    "--max-thinking-tokens=5 --betas=x,y --max-turns=2 --max-budget-usd=0.5 --json-schema=s.json --append-system-prompt-file=prompt.md " +
    "--allowedTools=Read,Bash --disallowedTools=Write --tools=Bash,Read --permission-mode=manual --add-dir=.. --setting-sources= " +
    `--allow-dangerously-skip-permissions --resume=old --fork-session --session-id=${id} --resume-session-at=u --name=n --no-session-persistence`;

  expect(await main([...STREAM, ...argv.split(" ")], io)).toBe(0);
  const { snapshot, warn: _warn, ...asked } = seen.opened[0]!;
  expect(asked).toEqual({
    front: "stream",
    entrypoint: "sdk-cli",
    session: {
      kind: "resume",
      target: "old",
      sessionId: id.toLowerCase(),
      at: "u",
      name: "n",
      fork: true,
      persist: false,
    },
    answers: { permissions: true, requests: true },
    setup: "maintenance",
  });
  expect(seen.attached).toEqual([
    {
      name: "program",
      view: { partial: true, hookEvents: true, mirror: true, replayPrompts: true, agentText: true },
      answers: { permissions: true, requests: true },
    },
  ]);
  expect(snapshot.flags).toEqual({
    model: "m",
    fallbackModels: ["a", "b"],
    effort: "low",
    maxThinkingTokens: 5,
    betas: ["x", "y"],
    maxTurns: 2,
    maxBudgetUsd: 0.5,
    jsonSchema: { type: "object" },
    appendSystemPrompt: "be brief",
    allowedTools: ["Read,Bash"],
    disallowedTools: ["Write"],
    tools: ["Bash", "Read"],
    permissionMode: "default",
    allowSkipPermissions: true,
    permissionPromptTool: "stdio",
    addDirs: [".."],
    settingSources: [],
  });
  expect(snapshot.directories).toEqual([root]);
  expect(JSON.parse(seen.out)).toEqual(RESULT);
});

test("thinking can be switched off, tools too, and the client's entry point is kept", async () => {
  const { io, seen } = fakeIO({ stdin: "x" });
  await main(["-p", "--thinking=disabled", "--tools="], { ...io, env: { CLAUDE_CODE_ENTRYPOINT: "sdk-ts" } });
  expect(seen.opened[0]).toMatchObject({
    entrypoint: "sdk-ts",
    session: { kind: "new", fork: false, persist: true },
    snapshot: { flags: { maxThinkingTokens: 0, tools: [] } },
  });
});

test("warnings go to standard error, one line each", async () => {
  mkdirSync(join(root, "home", ".claude"));
  writeFileSync(join(root, "home", ".claude", "settings.json"), '{"model": 1}');
  const { io, seen } = fakeIO({ stdin: "x" });
  expect(await main(["-p"], io)).toBe(0);
  expect(seen.err).toEqual([
    `warning: ${join(root, "home/.claude/settings.json")}: model should be a string, not 1; it is ignored`,
  ]);
});

test("flags without effect are mentioned only in the debug log", async () => {
  const { io, seen } = fakeIO({ stdin: "x" });
  await main(["-p", "--no-chrome"], io);
  expect(seen.err).toEqual([]);
  await main(["-p", "--no-chrome", "--debug"], io);
  expect(seen.err.join("\n")).toContain("[config] --no-chrome has no effect in this version");
});

test("a problem with the setup has error: in front, like all messages in our own words", async () => {
  const open = async () => {
    throw Object.assign(new Error("The sandbox is required"), { name: "OpenError", kind: "setup" });
  };
  const { io, seen } = fakeIO({ stdin: "x", open });
  expect(await main(["-p"], io)).toBe(1);
  expect(seen).toMatchObject({ out: "", err: ["error: the sandbox is required"] });
});

test("a session that cannot be opened is an error, and a result for clients of the stream", async () => {
  const open = async () => {
    throw Object.assign(new Error("No conversation found with session ID: abc"), { name: "OpenError" });
  };
  const plain = fakeIO({ stdin: "x", open });
  expect(await main(["-p", "--resume=abc"], plain.io)).toBe(1);
  expect(plain.seen).toMatchObject({ out: "", err: ["No conversation found with session ID: abc"] });

  const stream = fakeIO({ stdin: USER, open });
  expect(await main([...STREAM, "--resume=abc"], stream.io)).toBe(1);
  expect(stream.seen.err).toEqual(["No conversation found with session ID: abc"]);
  expect(JSON.parse(stream.seen.out)).toMatchObject({
    type: "result",
    subtype: "error_during_execution",
    is_error: true,
    num_turns: 0,
    session_id: "abc",
    errors: ["No conversation found with session ID: abc"],
  });
});

const SIGNALS: readonly [signal: EndSignal, argv: string[], code: number, reason: EndReason][] = [
  ["SIGINT", ["-p", "hi"], 130, "interrupt"],
  ["SIGTERM", ["-p", "hi"], 143, "terminate"],
  ["SIGHUP", ["-p", "hi"], 129, "terminate"],
  ["SIGINT", STREAM, 0, "interrupt"],
  ["SIGTERM", STREAM, 143, "terminate"],
];

test.each(SIGNALS)("%s during %j closes the session and decides the exit code", async (signal, argv, code, reason) => {
  const prompted = Promise.withResolvers<void>();
  const sent: Inbound[] = [];
  const hanging = session(sent, { hangs: true, onPrompt: () => prompted.resolve() });
  const isStream = argv === STREAM;
  const { io, raise, listeners, seen } = fakeIO({ stdin: isStream ? USER : "", open: async () => hanging.session });

  const ended = main(argv, io);
  await prompted.promise;
  raise(signal);
  expect(await ended).toBe(code);
  expect(hanging.closes).toContain(reason);
  expect([listeners.size, seen.exits]).toEqual([0, []]);
});

test("a second signal, or one before the session is open, ends at once", async () => {
  const opening = Promise.withResolvers<void>();
  const first = fakeIO({ stdin: "x", open: () => (opening.resolve(), never) });
  void main(["-p"], first.io);
  await opening.promise;
  first.raise("SIGTERM");
  expect(first.seen.exits).toEqual([143]);

  const prompted = Promise.withResolvers<void>();
  const stuck = session([], { hangs: true, onPrompt: () => prompted.resolve() }).session;
  const second = fakeIO({ stdin: "x", open: async () => ({ ...stuck, close: () => never }) });
  void main(["-p"], second.io);
  await prompted.promise;
  second.raise("SIGINT");
  expect(second.seen.exits).toEqual([]);
  second.raise("SIGINT");
  expect(second.seen.exits).toEqual([130]);
});
