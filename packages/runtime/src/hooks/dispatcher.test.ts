import { expect, test } from "bun:test";
import type { HookEvent, HookRun, JsonObject } from "@keelson/protocol";
import { HookDispatcher } from "./dispatcher.ts";
import type { Runners } from "./handlers/runner.ts";

/** A dispatcher with one command hook per event; each ends with `run`. */
function opened(events: readonly HookEvent[], run: Partial<HookRun> | Error = {}) {
  const received: JsonObject[] = [];
  const shown: unknown[] = [];
  const runners: Runners = {
    async run(_, input) {
      received.push(input);
      return { outcome: "success", exitCode: 0, stdout: "", stderr: "", durationMs: 1, ...run };
    },
    close: async () => void closed.push(true),
  };
  const closed: true[] = [];
  const hooks = new HookDispatcher({
    sessionId: () => "s",
    transcriptPath: () => null,
    includeEvents: () => false,
    cwd: () => "/project",
    mode: () => "default",
    effort: () => undefined,
    callOf: async (tool, input) => ({ tool, input, access: undefined, cwd: "/project" }),
    env: {},
    async runners() {
      if (run instanceof Error) throw run;
      return runners;
    },
    show: (signal) => void shown.push(signal),
    whyOff: () => undefined,
    warn: () => {},
    notify: () => {},
    onFields: () => {},
    trace: () => {},
    newId: () => "id",
  });
  const handler = { type: "command", command: "look" } as const;
  hooks.replace(events.map((event) => ({ event, handler, source: "userSettings" })));
  return { hooks, received, shown, closed };
}

const { signal } = new AbortController();

test("a hook gets the state from when the event was fired, not from when the hook runs", async () => {
  const { hooks, received } = opened(["InstructionsLoaded", "UserPromptSubmit"]);
  const early = hooks.fire("InstructionsLoaded", { load_reason: "session_start" }, { signal });
  const late = hooks.fire("UserPromptSubmit", { prompt_id: "p", prompt: "go" }, { signal });
  await Promise.all([early, late]);
  const prompts = received.map(({ hook_event_name: event, prompt_id: prompt }) => ({ event, prompt }));
  expect(prompts.toSorted((a, b) => (String(a.event) < String(b.event) ? -1 : 1))).toEqual([
    { event: "InstructionsLoaded", prompt: undefined },
    { event: "UserPromptSubmit", prompt: "p" },
  ]);
});

test("a failing Stop hook is also shown as a notification; other hooks are not", async () => {
  const { hooks, shown } = opened(["Stop", "PreCompact"], { outcome: "error", exitCode: 1, stderr: "broken" });
  await hooks.fire("Stop", { stop_hook_active: false }, { signal });
  await hooks.fire("PreCompact", { trigger: "auto" }, { signal });
  const warning = { type: "system", subtype: "informational", level: "warning" };
  expect(shown).toEqual([
    { ...warning, content: expect.stringContaining("exited with code 1: broken") },
    {
      type: "system",
      subtype: "notification",
      key: "stop-hook-error",
      text: "A Stop hook failed",
      priority: "immediate",
    },
    { ...warning, content: expect.stringContaining("exited with code 1: broken") },
  ]);
});

test.each<[HookEvent, JsonObject]>([
  ["PreToolUse", { tool_name: "Bash", tool_input: {} }],
  ["UserPromptSubmit", { prompt: "go" }],
  ["ConfigChange", { source: "user_settings" }],
  ["PreModelSwitch", { from_model: "a", to_model: "b" }],
  ["PostToolUse", { tool_name: "Bash", tool_input: {} }],
  ["Stop", { stop_hook_active: false }],
  ["PermissionRequest", { tool_name: "Bash", tool_input: {} }],
])("%s hooks that cannot be run at all block", async (event, input) => {
  const { hooks, shown } = opened([event], new Error("no more memory"));
  const outcome = await hooks.fire(event, input, { signal });
  const why = `Could not run ${event} hooks: no more memory`;
  const answer = event === "PermissionRequest" ? { permission: { behavior: "deny", message: why } } : {};
  expect(outcome).toEqual({ reasons: [why], context: [], verdict: "deny", ...answer } as never);
  expect(shown).toEqual([{ type: "system", subtype: "informational", content: why, level: "warning" }]);
});

test("close() ends the runners, even if no hook is registered anymore", async () => {
  const idle = opened(["Stop"]);
  await idle.hooks.close();
  expect(idle.closed).toEqual([]);

  const { hooks, closed } = opened(["Stop"]);
  await hooks.fire("Stop", { stop_hook_active: false }, { signal });
  hooks.replace([]);
  await hooks.close();
  expect(closed).toEqual([true]);
});
