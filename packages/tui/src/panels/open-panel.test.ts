import { expect, test } from "bun:test";
import type { TerminalHost } from "../host.ts";
import { firstBindings } from "../keys/first-bindings.ts";
import type { Panel } from "../screen/view.ts";
import { feedOf, prompt, text as answer } from "../stream/feed.test-support.ts";
import { isFullScreen } from "../viewer/full-screen-panel.ts";
import { panelNameOf, withPanelCommands } from "./commands.ts";
import type { PanelContext, PanelEnd } from "./context.ts";
import { openPanel } from "./open-panel.ts";
import {
  frame,
  key,
  keys,
  NOW,
  plainTheme,
  randomKeys,
  scriptedRequests,
  settled,
  shown,
  SIZES,
  typing,
} from "./panel.test-support.ts";

const RULES = {
  rules: [
    { source: "localSettings", ruleBehavior: "allow", ruleValue: { toolName: "Bash", ruleContent: "npm test *" } },
    { source: "policySettings", ruleBehavior: "deny", ruleValue: { toolName: "WebFetch" } },
  ],
  workspaceDirectories: ["/other"],
  originalCwd: "/work",
};

const SERVERS = [
  {
    name: "files",
    status: "connected",
    transport: "stdio",
    scope: "project",
    tools: [{ name: "read" }, { name: "list" }],
  },
  { name: "cloud", status: "needs-auth", transport: "http", scope: "user", error: "sign in first" },
  { name: "off", status: "disabled", transport: "stdio", scope: "user" },
];

const LEVELS = ["low", "high"];

const REPLIES = {
  get_settings: {
    effective: { theme: "dark", verbose: true, enabledPlugins: { "lint@shop": false } },
    sources: [
      { source: "projectSettings", path: "/work/.claude/settings.json", settings: { verbose: true } },
      { source: "userSettings", path: "/home/.claude/settings.json", settings: { theme: "dark" } },
    ],
    applied: { model: "m-1", effort: "low" },
  },
  list_models: {
    models: [
      {
        value: "default",
        resolvedModel: "m-1",
        displayName: "Default",
        description: "d",
        supportedEffortLevels: LEVELS,
      },
    ],
  },
  reload_output_styles: { available_output_styles: ["default", "Concise"] },
  reload_skills: { skills: [{ name: "deploy", description: "Deploys. Use it for releases", argumentHint: "<where>" }] },
  reload_plugins: { plugins: [{ name: "git", source: "git@shop", version: "1.0" }], error_count: 0 },
  get_hooks_listing: {
    hooks: [
      {
        event: "PreToolUse",
        matcher: "Bash",
        type: "command",
        label: "check.sh",
        source: "userSettings",
        file: "/s.json",
      },
      { event: "Stop", type: "prompt", label: "done?", source: "sdk" },
    ],
  },
  list_agents: {
    agents: [
      {
        name: "review",
        description: "Reviews",
        source: "project",
        model: "opus",
        tools: ["Read"],
        file: "/work/review.md",
      },
      { name: "Explore", description: "Looks", source: "built-in" },
    ],
  },
  get_context_usage: { memoryFiles: [{ path: "/work/CLAUDE.md", type: "Project", tokens: 120 }] },
  get_session_info: {
    title: "Fix it",
    cwd: "/work",
    git_branch: "main",
    permission_mode: "plan",
    output_style: "default",
    added_dirs: ["/other"],
    memory_directory: "/home/.claude/projects/-work/memory",
  },
  get_usage: { session: { total_cost_usd: 0.25, total_duration_ms: 65_000 } },
  list_permission_rules: { state: RULES },
  update_permissions: { state: RULES },
  mcp_status: { mcpServers: SERVERS },
  mcp_toggle: undefined,
  mcp_reconnect: new Error('Could not connect to "files": it crashed'),
  mcp_authenticate: { authUrl: "https://example.com/login", opened: false },
  side_question: { response: "because" },
  update_settings: {},
  apply_flag_settings: undefined,
  get_task_output: { output: "one\ntwo\n", total_bytes: 8, truncated: false },
  stop_task: {},
  background_tasks: {},
  rewind_files: { canRewind: true, filesChanged: [] },
  list_sessions: {
    sessions: [{ sessionId: "s1", summary: "Old", lastModified: NOW, fileSize: 1, cwd: "/elsewhere" }],
    total: 1,
  },
  get_working_diff: { diff: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n" },
};

function world(replies: Readonly<Record<string, unknown>> = {}, more: Partial<PanelContext> = {}) {
  const requests = scriptedRequests({ ...REPLIES, ...replies });
  const feed = feedOf();
  for (const message of [prompt("why?"), answer("**so**")]) feed.take(message, NOW);
  const host: Partial<TerminalHost> = {
    cwd: "/work",
    home: "/home",
    version: "1.2.3",
    env: { TERM_PROGRAM: "ghostty" },
    now: () => NOW,
    logins: async () => ({
      servers: async () => [{ id: "ollama/q", title: "ollama/q", detail: "Ollama on this machine" }],
      providers: async () => [{ provider: "openai", title: "OpenAI", credentials: null, takesKey: true }],
      check: async () => ({ models: ["openai/gpt-9"] }),
      store: async () => undefined,
      choose: async () => undefined,
    }),
    doctor: async () => "All good",
    showOnPage: async (session, proxy = "http://127.0.0.1:4600") => ({
      link: `${proxy}/#code=${session}`,
      qr: ["▄▄▄", "▀▀▀"],
      listens: "127.0.0.1:4600",
    }),
    keybindings: async () => ({ path: "/home/.claude/keybindings.json", text: undefined }),
  };
  const context: PanelContext = {
    requests,
    host: host as TerminalHost,
    keys,
    redraw: () => undefined,
    markdown: (text) => text.replaceAll("**", "").split("\n"),
    commands: () => withPanelCommands([{ name: "compact", description: "Compact it", argumentHint: "[what]" }]),
    prompts: () => [{ id: "p1", text: "why?" }],
    items: () => feed.unfinished,
    tasks: () => [{ id: "b1", type: "local_bash", description: "npm run dev", startedMs: NOW - 5_000 }],
    agents: () => [],
    lastAnswer: () => "**so**",
    sessionId: "11111111-2222-3333-4444-555555555555",
    setting: (name) => ({ theme: "dark", editorMode: "normal" })[name],
    themes: [
      { name: "dark", label: "Dark" },
      { name: "light", label: "Light" },
    ],
    themeNamed: () => plainTheme,
    ...more,
  };
  return { context, requests };
}

async function opened(command: string, args = "", made = world()) {
  const found = await openPanel(command, args, made.context);
  if (found === undefined || !("panel" in found)) throw new Error(`/${command} opened no panel`);
  shown(found.panel);
  await settled();
  return { panel: found.panel, requests: made.requests };
}

async function press(panel: Panel<PanelEnd>, ...names: readonly string[]): Promise<PanelEnd | undefined> {
  for (const name of names) {
    const end = panel.take(key(name), NOW);
    await settled();
    shown(panel, frame(100, 30));
    if (end) return end.value;
  }
  return undefined;
}

async function endOf(command: string, args = "", made = world()): Promise<PanelEnd> {
  const found = await openPanel(command, args, made.context);
  if (found === undefined || !("end" in found)) throw new Error(`/${command} is not done at once`);
  return found.end;
}

/** With what follows from its request. */
async function whole(end: PanelEnd | undefined): Promise<PanelEnd | undefined> {
  return end?.later ? end.later : end;
}

const PANELS =
  "agents config diff doctor effort export help hooks mcp memory model output-style permissions plugin recap resume rewind skills status statusline tasks terminal-setup theme web".split(
    " ",
  );

test("every panel fits the three sizes and closes with one Esc, writing nothing", async () => {
  for (const name of PANELS) {
    for (const [columns, rows] of SIZES) {
      const { panel } = await opened(name);
      await settled();
      const rendered = shown(panel, frame(columns, rows));
      if (columns === 80) expect(rendered).toMatchSnapshot(name);
      const end = panel.take(key("escape"), NOW);
      const said = name === "web" ? { note: "This session is on the page in the browser" } : {};
      expect([name, end?.value]).toEqual([name, said]);
    }
  }
});

test("no keys break a panel", async () => {
  for (const name of PANELS) {
    let { panel } = await opened(name);
    for (const [index, each] of randomKeys(name.length, 300).entries()) {
      if (panel.take(each, NOW)) panel = (await opened(name)).panel;
      if (index % 7 === 0) await settled();
      shown(panel, frame(40, 15));
    }
  }
});

test("commands with arguments go to the session where it knows them", () => {
  const table: readonly (readonly [command: string, args: string, name: string | undefined])[] = [
    ["model", "", "model"],
    ["model", "opus", undefined],
    ["mcp", "reconnect x", undefined],
    ["config", "theme dark", undefined],
    ["export", "notes.md", undefined],
    ["resume", "login", "resume"],
    ["continue", "", "resume"],
    ["bashes", "", "tasks"],
    ["theme", "dark", "theme"],
    ["compact", "", undefined],
    ["rename", "x", undefined],
    ["constructor", "", undefined],
    ["color", "", "color"],
  ];
  for (const [command, args, name] of table) expect([command, panelNameOf(command, args)]).toEqual([command, name]);
  expect(openPanel("compact", "", world().context)).toBeUndefined();
});

test("a skill with the name of a panel replaces it", () => {
  const session = [
    { name: "diff", description: "My own", argumentHint: "" },
    { name: "help", description: "Of the program", argumentHint: "", builtin: true },
  ];
  expect(panelNameOf("diff", "", session)).toBeUndefined();
  expect(panelNameOf("help", "", session)).toBe("help");
  const all = withPanelCommands(session);
  expect(all.find(({ name }) => name === "diff")).toEqual({ name: "diff", description: "My own", argumentHint: "" });
  expect(all.find(({ name }) => name === "help")?.description).toBe("Show commands and shortcuts");
});

test("the list of commands has each name once, in order", () => {
  const names = withPanelCommands([
    { name: "zeta", description: "", argumentHint: "" },
    { name: "help", description: "of the session", argumentHint: "", builtin: true },
  ]).map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].toSorted());
  expect(names).toContain("exit");
});

test("/help puts a command into the prompt, and its search finds it", async () => {
  const { panel } = await opened("help");
  for (const each of typing("compact")) panel.take(each, NOW);
  expect(await press(panel, "enter")).toEqual({ effects: [{ kind: "draft", text: "/compact " }] });
});

test("/config writes each change, refuses what a stronger file sets, and reports at the end", async () => {
  const { panel, requests } = await opened("config");
  await press(panel, "enter");
  for (const each of typing("verbose")) panel.take(each, NOW);
  await press(panel, "enter");
  expect(shown(panel)).toContain("Set in /work/.claude/settings.json: change it there");
  panel.take(key("ctrl+u"), NOW);
  for (const each of typing("compact")) panel.take(each, NOW);
  await press(panel, "enter");
  expect(await whole(await press(panel, "escape"))).toEqual({
    note: "Set Theme to light, Auto-compact to off",
    effects: [
      { kind: "setting", key: "theme", value: "light" },
      { kind: "setting", key: "autoCompactEnabled", value: false },
    ],
  });
  expect(requests.asked.filter(({ subtype }) => subtype === "update_settings").map(({ fields }) => fields)).toEqual([
    { source: "userSettings", settings: { theme: "light" } },
    { source: "userSettings", settings: { autoCompactEnabled: false } },
  ]);
});

test("/config finds every setting, says where it is set, and opens its file", async () => {
  const { panel } = await opened("config");
  for (const each of typing("cleanupPeriodDays")) panel.take(each, NOW);
  expect(shown(panel)).toContain("❯ cleanupPeriodDays  not set");
  expect(await press(panel, "enter")).toEqual({
    note: "Opened /home/.claude/settings.json for cleanupPeriodDays",
    effects: [{ kind: "edit-file", path: "/home/.claude/settings.json" }],
  });
  const other = (await opened("config")).panel;
  for (const each of typing("enabledPlugins")) other.take(each, NOW);
  expect(shown(other)).toContain("❯ enabledPlugins  1 entry");
});

test("/config keeps the old value if it cannot be written", async () => {
  const { panel } = await opened("config", "", world({ update_settings: new Error("read-only") }));
  await press(panel, "enter");
  expect(shown(panel)).toContain("Theme was not saved: read-only");
  expect(await whole(await press(panel, "escape"))).toEqual({ note: "Theme was not saved: read-only", effects: [] });
});

test("/permissions adds a rule in the chosen place", async () => {
  const { panel, requests } = await opened("permissions");
  await press(panel, "a");
  expect(shown(panel)).toContain("Press ↑ or ↓ first, then A");
  await press(panel, "down", "tab", "a");
  for (const each of typing("Bash(git push *)")) panel.take(each, NOW);
  await press(panel, "enter");
  expect(shown(panel)).toContain("Where to save Bash(git push *)");
  await press(panel, "enter");
  expect(shown(panel)).toContain("Where to save");
  await press(panel, "down", "down", "enter");
  expect(requests.asked.at(-1)).toEqual({
    subtype: "update_permissions",
    fields: {
      updates: [
        {
          type: "addRules",
          rules: [{ toolName: "Bash", ruleContent: "git push *" }],
          behavior: "ask",
          destination: "userSettings",
        },
      ],
    },
  });
  expect(await press(panel, "escape")).toEqual({ note: "Added Bash(git push *) (ask)" });
});

test("/permissions says why a text is no rule, and removes only what belongs to a file of the user", async () => {
  const { panel, requests } = await opened("permissions");
  await press(panel, "enter");
  for (const each of typing("two words")) panel.take(each, NOW);
  await press(panel, "enter");
  expect(shown(panel)).toContain('"two words" is not a rule');
  await press(panel, "escape", "down", "d", "up", "enter");
  expect(requests.asked.at(-1)?.fields).toEqual({
    updates: [
      {
        type: "removeRules",
        rules: [{ toolName: "Bash", ruleContent: "npm test *" }],
        behavior: "allow",
        destination: "localSettings",
      },
    ],
  });
  await press(panel, "tab", "tab", "down", "d");
  expect(shown(panel)).toContain("This rule comes from managed settings");
  const problems = world({ update_permissions: { state: RULES, problems: ["the file is read-only"] } });
  const second = await opened("permissions", "", problems);
  await press(second.panel, "down", "d", "up", "enter");
  expect(shown(second.panel)).toContain("the file is read-only");
});

test("/mcp reconnects, toggles and signs in, and shows what failed", async () => {
  const { panel, requests } = await opened("mcp");
  await press(panel, "r");
  expect(shown(panel)).toContain("Press ↑ or ↓ first, then R");
  await press(panel, "up", "r");
  expect(shown(panel)).toContain('Could not connect to "files": it crashed');
  await press(panel, "space");
  expect(requests.asked).toContainEqual({ subtype: "mcp_toggle", fields: { serverName: "files", enabled: false } });
  await press(panel, "down", "s");
  expect(shown(panel)).toContain("Open this address to sign in: https://example.com/login");
  expect(panel.nextChange?.(NOW)).toBe(500);
  await press(panel, "up", "enter", "tab");
  expect(shown(panel)).toContain("read");
  expect(await press(panel, "escape")).toBeUndefined();
  expect(await endOf("mcp", "", world({ mcp_status: { mcpServers: [] } }))).toEqual({
    note: "No MCP servers. Add one with `keelson mcp add`",
  });
});

test("/plugin turns plugins on and off and reads them again", async () => {
  const { panel, requests } = await opened("plugin");
  await press(panel, "down", "space");
  expect(requests.asked.slice(2, 4)).toEqual([
    {
      subtype: "update_settings",
      fields: { source: "userSettings", settings: { enabledPlugins: { "lint@shop": true } } },
    },
    { subtype: "reload_plugins", fields: {} },
  ]);
  expect(await press(panel, "escape")).toEqual({ note: "Enabled lint@shop" });
});

test("/tasks shows the output as it comes and stops a task", async () => {
  const { panel, requests } = await opened("tasks");
  expect(shown(panel)).toContain("command · running · 5s");
  await press(panel, "enter");
  expect(shown(panel)).toContain("one\ntwo");
  await press(panel, "escape", "x");
  expect(requests.asked.at(-1)?.subtype).toBe("get_task_output");
  expect(shown(panel)).toContain("Press ↑ or ↓ first, then X");
  await press(panel, "down", "x");
  expect(requests.asked.at(-1)).toEqual({ subtype: "stop_task", fields: { task_id: "b1" } });
  expect(await press(panel, "escape")).toEqual({ note: "Stopped npm run dev" });
  expect(await endOf("tasks", "", world({}, { tasks: () => [] }))).toEqual({ note: "No tasks or agents" });
});

test("/tasks shows what a wake-up and an agent were given, since they print nothing, and stops them", async () => {
  const waiting = { id: "w1", type: "wakeup", description: "the build", prompt: "Look at\nthe build", startedMs: NOW };
  const { panel, requests } = await opened("tasks", "", world({}, { tasks: () => [waiting] }));
  expect(shown(panel)).toContain("wake-up · waiting · 0s");
  expect(shown(panel)).toContain("Enter prompt · X stop");
  await press(panel, "enter");
  expect(shown(panel)).toContain("Look at\nthe build");
  await press(panel, "escape", "down", "x");
  expect(requests.asked).toEqual([{ subtype: "stop_task", fields: { task_id: "w1" } }]);
});

test("files of agents, hooks and memory open in the editor; what has none is shown", async () => {
  const agents = await opened("agents");
  expect(await press(agents.panel, "enter")).toEqual({
    note: "Opened /work/review.md",
    effects: [{ kind: "edit-file", path: "/work/review.md" }],
  });
  const hooks = await opened("hooks");
  await press(hooks.panel, "down", "enter");
  expect(shown(hooks.panel)).toContain("prompt, sdk");
  const memory = await opened("memory");
  expect((await press(memory.panel, "down", "enter"))?.effects).toEqual([
    { kind: "edit-file", path: "/work/CLAUDE.local.md" },
  ]);
  const notes = await opened("memory");
  expect((await press(notes.panel, "end", "enter"))?.effects).toEqual([
    { kind: "edit-file", path: "/home/.claude/projects/-work/memory/MEMORY.md" },
  ]);
  expect((await endOf("keybindings")).effects).toEqual([
    { kind: "edit-file", path: "/home/.claude/keybindings.json", start: firstBindings() },
  ]);
});

test("choices are written to the user's settings and told to the screen", async () => {
  const { panel, requests } = await opened("theme");
  expect(await whole(await press(panel, "down", "enter"))).toEqual({
    note: "Set theme to light",
    effects: [{ kind: "setting", key: "theme", value: "light" }],
  });
  expect(requests.asked).toEqual([
    { subtype: "update_settings", fields: { source: "userSettings", settings: { theme: "light" } } },
  ]);
  expect((await whole(await endOf("theme", "dark")))?.note).toBe("Set theme to dark");
  expect((await endOf("theme", "pink")).note).toContain('"pink" is not a theme; use one of dark, light');
  expect((await whole(await endOf("vim")))?.effects).toEqual([{ kind: "setting", key: "editorMode", value: "vim" }]);
  expect((await whole(await endOf("output-style", "concise")))?.note).toBe("Set output style to Concise");
  const failing = world({ update_settings: new Error("no") });
  expect(await whole(await endOf("vim", "", failing))).toEqual({ note: "Failed: no" });
  const effort = await opened("effort");
  expect((await whole(await press(effort.panel, "3")))?.note).toBe("Set effort to high");
});

test("/resume switches sessions, /fork copies this one", async () => {
  const { panel } = await opened("resume");
  expect(await press(panel, "enter")).toEqual({
    effects: [{ kind: "switch-session", which: { kind: "resume", id: "s1" } }],
  });
  const away = world();
  const elsewhere = await opened("resume", "", away);
  expect((await press(elsewhere.panel, "ctrl+a", "enter"))?.note).toContain("That session belongs to /elsewhere");
  const { context } = world();
  expect((await endOf("resume", context.sessionId)).effects).toEqual([
    { kind: "switch-session", which: { kind: "resume", id: context.sessionId } },
  ]);
  expect((await endOf("fork")).effects).toEqual([
    { kind: "switch-session", which: { kind: "resume", id: context.sessionId, fork: true } },
  ]);
});

test("/rewind cuts the conversation and puts the prompt back", async () => {
  const made = world({ rewind_conversation: { prompt: "why?", sessionId: "x" } });
  const { panel } = await opened("rewind", "", made);
  expect(await whole(await press(panel, "up", "enter", "1", "enter"))).toEqual({
    note: "Restored the conversation",
    effects: [
      { kind: "rewound", point: { id: "p1", text: "why?" } },
      { kind: "draft", text: "why?" },
    ],
  });
  expect((await endOf("rewind", "", world({}, { prompts: () => [] }))).note).toContain("nothing to go back to");
});

test("/export copies the conversation or lets the session write it; /copy takes the last answer", async () => {
  const first = await opened("export");
  expect((await press(first.panel, "1"))?.effects).toEqual([
    { kind: "copy", text: "## User\n\nwhy?\n\n## Assistant\n\n**so**" },
  ]);
  const second = await opened("export");
  await press(second.panel, "2");
  expect((await press(second.panel, "a", ".", "m", "d", "enter"))?.effects).toEqual([
    { kind: "send", prompt: "/export a.md" },
  ]);
  expect((await endOf("copy")).effects).toEqual([{ kind: "copy", text: "**so**" }]);
});

test("/stop says what stops work here", async () => {
  expect((await endOf("stop")).note).toContain("/tasks");
});

test("/btw shows the answer to a question aside", async () => {
  const { panel, requests } = await opened("btw", "why is it so?");
  expect(shown(panel)).toContain("because");
  expect(requests.asked).toEqual([{ subtype: "side_question", fields: { question: "why is it so?" } }]);
});

test("/diff fills the screen", async () => {
  const { panel } = await opened("diff");
  expect(isFullScreen(panel)).toBe(true);
  expect((await endOf("diff", "", world({ get_working_diff: { diff: null } }))).note).toContain("not a git repository");
  expect((await endOf("diff", "", world({ get_working_diff: { diff: "" } }))).note).toBe(
    "Nothing has changed since the last commit",
  );
});
