import { expect, test } from "bun:test";
import type { HookEvent, HookHandler, HookRegistration } from "@keelson/protocol";
import { hookProblem, selectHooks } from "./planner.ts";

const never = () => {
  throw new Error("should not be called");
};

function command(text: string, more: Partial<HookRegistration> = {}, own: object = {}): HookRegistration {
  return { event: "PreToolUse", source: "userSettings", ...more, handler: { type: "command", command: text, ...own } };
}

test("only handlers of the event whose matcher matches run, in order", async () => {
  const [a, b, c, d, e] = [
    command("a"),
    command("b", { matcher: "Edit" }),
    command("c", { matcher: "Bash|Edit" }),
    command("d", { event: "PostToolUse" }),
    command("e", { matcher: "[" }),
  ] as const;
  expect(await selectHooks([a, b, c, d, e], "PreToolUse", "Bash", never)).toEqual([a, c]);
});

test("the same handler in several files and groups runs once, and the first one is kept", async () => {
  const copies = [
    command("lint", { source: "userSettings", file: "/home/me/settings.json" }),
    command("lint", { source: "projectSettings", matcher: "Bash" }),
    command("lint", { source: "localSettings" }, { statusMessage: "Linting" }),
    { ...command("lint"), handler: { command: "lint", type: "command" } as const },
  ];
  expect(await selectHooks(copies, "PreToolUse", "Bash", never)).toEqual([copies[0]!]);
});

test("a handler that differs in any relevant field is a different handler", async () => {
  const different = [
    command("guard"),
    command("guard", {}, { async: true }),
    command("guard", {}, { onFailure: "block" }),
    command("guard", {}, { args: ["-x"] }),
    command("guard", {}, { args: ["-y"] }),
  ];
  expect(await selectHooks(different, "PreToolUse", "Bash", never)).toEqual(different);
});

test("copies with other timeouts or a default spelled out are the same handler, and the most patient one runs", async () => {
  const copies = [
    command("guard", {}, { timeout: 5 }),
    command("guard", { matcher: "Bash" }, { timeout: 900, shell: "bash" }),
    command("guard", {}, { async: false }),
  ];
  expect(await selectHooks(copies, "PreToolUse", "Bash", never)).toEqual([copies[1]!]);
});

test("copies in plugins, skills and agents are not merged with each other or with settings", async () => {
  const apart = [
    command("lint"),
    command("lint", { source: "pluginHook", root: "/p/one" }),
    command("lint", { source: "pluginHook", root: "/p/two" }),
    command("lint", { source: "skill", root: "/s" }),
    command("lint", { source: "agent", file: "/a.md" }),
  ];
  const again = command("lint", { source: "pluginHook", root: "/p/one", matcher: "Bash" });
  expect(await selectHooks([...apart, again], "PreToolUse", "Bash", never)).toEqual(apart);
});

test("`if` is evaluated once per handler, and a handler runs if it cannot be judged", async () => {
  const asked: string[] = [];
  const found = await selectHooks(
    [
      command("a", {}, { if: "Bash(git *)" }),
      command("a", { source: "projectSettings" }, { if: "Bash(git *)" }),
      command("b", {}, { if: "Bash(rm *)" }),
      command("c", {}, { if: "broken" }),
      command("d"),
    ],
    "PreToolUse",
    "Bash",
    async (rule) => {
      asked.push(rule);
      if (rule === "broken") throw new Error("cannot tell");
      return rule === "Bash(git *)";
    },
  );
  expect(found.map(({ handler }) => (handler as { command: string }).command)).toEqual(["a", "c", "d"]);
  expect(asked).toEqual(["Bash(git *)", "Bash(rm *)", "broken"]);
});

const HANDLERS: Record<HookHandler["type"], HookHandler> = {
  command: { type: "command", command: "x" },
  http: { type: "http", url: "http://127.0.0.1/" },
  mcp_tool: { type: "mcp_tool", server: "s", tool: "t" },
  prompt: { type: "prompt", prompt: "ok?" },
  agent: { type: "agent", prompt: "ok?" },
  callback: { type: "callback", callbackId: "hook_0", client: "client-1" },
};

test.each<[HookEvent, HookHandler["type"], string | undefined]>([
  ["SessionStart", "http", 'SessionStart does not run hooks of type "http"; use command, mcp_tool'],
  ["Setup", "prompt", 'Setup does not run hooks of type "prompt"; use command, mcp_tool'],
  ["SessionStart", "callback", undefined],
  ["PreCompact", "agent", 'PreCompact does not run hooks of type "agent"; use command, http, mcp_tool'],
  ["PreCompact", "http", undefined],
  ["PreToolUse", "agent", undefined],
  ["TeammateIdle", "prompt", undefined],
])("%s and a handler of type %s: %p", async (event, type, why) => {
  const registration: HookRegistration = { event, source: "userSettings", handler: HANDLERS[type] };
  expect(hookProblem(registration)).toBe(why);
  expect(await selectHooks([registration], event, "x", never)).toEqual(why === undefined ? [registration] : []);
});

test("`if` without a tool call keeps a handler from ever running, and hookProblem() says so", async () => {
  const registration = command("x", { event: "Stop" }, { if: "Bash(git *)" });
  expect(await selectHooks([registration], "Stop", undefined, () => true)).toEqual([]);
  expect(hookProblem(registration)).toBe('"if" needs a tool call, and Stop has none; remove it');
  expect(hookProblem(command("x", { matcher: "[" }))).toContain("not a valid regular expression");
  expect(hookProblem(command("x", { matcher: "Bash" }, { if: "Bash(git *)" }))).toBe(undefined);
});

test("matchers are compiled once, however often the event fires", async () => {
  let reads = 0;
  const others = Array.from({ length: 199 }, (_, at) => {
    const matcher = at % 2 === 0 ? `Tool${at}|Other${at}` : `^mcp__server${at}__.*(read|write)$`;
    return Object.defineProperty(command(`hook ${at}`), "matcher", { get: () => (reads++, matcher) });
  });
  const wanted = command("guard", { matcher: "Bash" });
  const fire = () => selectHooks([...others, wanted], "PreToolUse", "Bash", never);
  expect(await fire()).toEqual([wanted]);
  expect(reads).toBe(others.length);
  for (let round = 0; round < 100; round++) expect(await fire()).toEqual([wanted]);
  expect(reads).toBe(others.length);
});
