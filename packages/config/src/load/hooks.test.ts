// Which hooks run, which do not and why, and what happens to invalid hooks.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadAgents } from "../agents/load-agents.ts";
import { loadSkills } from "../skills/load-skills.ts";
import { whyHookOff } from "./hooks.ts";
import { load } from "./load.ts";
import type { Flags } from "./snapshot.ts";

let root: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-hooks-")));
  cwd = join(root, "project");
  for (const name of ["home", "project"]) mkdirSync(join(root, name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FILES = {
  user: "home/.claude/settings.json",
  project: "project/.claude/settings.json",
  local: "project/.claude/settings.local.json",
  managed: "managed/managed-settings.json",
  trust: "home/.claude.json",
};

function put(name: keyof typeof FILES, content: unknown): void {
  const file = join(root, FILES[name]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

const start = (flags: Flags = {}, env = {}) =>
  load({
    cwd,
    home: join(root, "home"),
    env,
    flags,
    platform: "linux",
    uid: 1000,
    managedDir: join(root, "managed"),
  });

/** A Stop hook that prints its source. */
const says = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
const everywhere = () => (["user", "project", "local", "managed"] as const).forEach((name) => put(name, says(name)));
const trust = () => put("trust", { projects: { [cwd]: { hasTrustDialogAccepted: true } } });

/** The hooks that run, and the reasons for those that do not. */
function listed({ hooks }: ReturnType<typeof start>) {
  const name = ({ handler }: (typeof hooks.active)[number]) => (handler.type === "command" ? handler.command : "?");
  return {
    active: hooks.active.map(name),
    off: Object.fromEntries(hooks.off.map(({ registration, why }) => [name(registration), why])),
  };
}

test("the hooks of all files run, lowest precedence first, with their source, deeply frozen", () => {
  const guard = { type: "command", command: "guard", timeout: 5, if: "Bash(git *)" };
  put("user", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard, { type: "prompt", prompt: "ok?" }] }] } });
  put("project", says("project"));
  put("managed", says("managed"));
  const settings = JSON.stringify(says("flag"));
  const { hooks, warnings } = start({ settings });

  const from = (source: "userSettings" | "projectSettings" | "policySettings", file: keyof typeof FILES) => ({
    source,
    file: join(root, FILES[file]),
  });
  expect(hooks).toEqual({
    active: [
      { event: "PreToolUse", matcher: "Bash", handler: guard as never, ...from("userSettings", "user") },
      {
        event: "PreToolUse",
        matcher: "Bash",
        handler: { type: "prompt", prompt: "ok?" },
        ...from("userSettings", "user"),
      },
      { event: "Stop", handler: { type: "command", command: "project" }, ...from("projectSettings", "project") },
      { event: "Stop", handler: { type: "command", command: "flag" }, source: "flagSettings" },
      {
        event: "Stop",
        handler: { type: "command", command: "managed" },
        ...from("policySettings", "managed"),
      },
    ],
    off: [],
    policy: { disabledByPolicy: false, managedOnly: false, pluginsOnly: false, bare: false, safe: false },
  });
  expect(warnings).toEqual([]);
  for (const part of [hooks, hooks.active, hooks.active[0], hooks.active[0]!.handler]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("an untrusted folder's hooks run, unless trust is required", () => {
  everywhere();
  expect(listed(start())).toEqual({ active: ["user", "project", "local", "managed"], off: {} });

  const why = `Trust is required and this folder is not trusted; to trust it, run: keelson trust ${cwd}`;
  const refused = { active: ["user", "managed"], off: { project: why, local: why } };
  expect(listed(start({ requireTrust: true }))).toEqual(refused);
  trust();
  expect(listed(start({ requireTrust: true })).off).toEqual({});
});

test("an untrusted folder cannot turn hooks off or back on", () => {
  for (const [name, value] of [
    ["project", true],
    ["local", true],
    ["project", false],
  ] as const) {
    everywhere();
    put("user", { ...says("user"), ...(value ? {} : { disableAllHooks: true }) });
    put(name, { ...says(name), disableAllHooks: value });
    const snapshot = start();
    expect(snapshot.warnings).toEqual([
      expect.stringMatching(
        /settings(\.local)?\.json: disableAllHooks ignored: this folder is not trusted; to trust it,/,
      ),
    ]);
    expect(listed(snapshot).active).toEqual(value ? ["user", "project", "local", "managed"] : ["managed"]);
  }
});

const LIKE_HOOKS = ["statusLine", "subagentStatusLine", "fileSuggestion"] as const;
const linesOf = (name: string, more = {}) => ({
  ...more,
  ...Object.fromEntries(LIKE_HOOKS.map((key) => [key, { type: "command", command: name }])),
});

test.each<[string, object, object, Flags, string | undefined]>([
  ["nothing is set", {}, {}, {}, "flag"],
  ["an administrator turns hooks off", { disableAllHooks: true }, {}, {}, undefined],
  ["an administrator has hooks off and lines", linesOf("managed", { disableAllHooks: true }), {}, {}, undefined],
  ["only managed hooks run", { allowManagedHooksOnly: true }, {}, {}, undefined],
  [
    "only managed hooks run, and there are such lines",
    linesOf("managed", { allowManagedHooksOnly: true }),
    {},
    {},
    "managed",
  ],
  ["the user turns hooks off", {}, { disableAllHooks: true }, {}, undefined],
  [
    "the user turns hooks off, and there are managed lines",
    linesOf("managed"),
    { disableAllHooks: true },
    {},
    "managed",
  ],
  [
    "the user turned hooks off, a flag turns them on",
    {},
    { disableAllHooks: true },
    { settings: JSON.stringify(linesOf("flag", { disableAllHooks: false })) },
    "flag",
  ],
  ["only hooks of plugins run", { strictPluginOnlyCustomization: ["hooks"] }, {}, {}, "flag"],
])("status lines and the command for files are turned off like hooks: %s", (_, managed, user, flags, runs) => {
  trust();
  put("managed", managed);
  put("user", linesOf("user", user));
  for (const name of ["project", "local"] as const) put(name, linesOf(name));
  const { settings } = start({ settings: JSON.stringify(linesOf("flag")), ...flags });
  const command = runs && { type: "command", command: runs };
  expect(LIKE_HOOKS.map((key) => settings[key] as unknown)).toEqual([command, command, command]);
  expect("theme" in settings).toBe(false);
});

test("disableAllHooks outside managed settings does not stop managed hooks", () => {
  everywhere();
  trust();
  put("project", { ...says("project"), disableAllHooks: true });
  const why = `disableAllHooks is on in ${root}/project/.claude/settings.json`;
  expect(listed(start())).toEqual({ active: ["managed"], off: { user: why, project: why, local: why } });

  const flag = "disableAllHooks is on in --settings";
  const flagged = listed(start({ settings: '{"disableAllHooks": true}' }));
  expect(flagged).toEqual({ active: ["managed"], off: { user: flag, project: flag, local: flag } });

  put("managed", { ...says("managed"), disableAllHooks: false });
  expect(listed(start()).off).toEqual({});

  put("managed", { ...says("managed"), disableAllHooks: true });
  const policy = "Managed settings turn off all hooks (disableAllHooks)";
  expect(listed(start())).toEqual({
    active: [],
    off: { user: policy, project: policy, local: policy, managed: policy },
  });
});

test.each([
  [{ allowManagedHooksOnly: true }, "Managed settings allow only managed hooks (allowManagedHooksOnly)"],
  [{ allowManagedHooksOnly: "yes" }, "Managed settings allow only managed hooks (allowManagedHooksOnly)"],
  [
    { strictPluginOnlyCustomization: ["skills", "hooks"] },
    "Managed settings allow only hooks from plugins (strictPluginOnlyCustomization)",
  ],
  [
    { strictPluginOnlyCustomization: true },
    "Managed settings allow only hooks from plugins (strictPluginOnlyCustomization)",
  ],
])("%p leaves only managed hooks", (policy, why) => {
  everywhere();
  put("managed", { ...says("managed"), ...policy });
  const { active, off } = listed(start({ settings: JSON.stringify(says("flag")) }));
  expect({ active, off }).toEqual({ active: ["managed"], off: { user: why, project: why, local: why, flag: why } });
});

test.each([
  ["allowManagedHooksOnly", true],
  ["strictPluginOnlyCustomization", ["hooks"]],
])("%s is only valid in managed settings", (key, value) => {
  everywhere();
  put("user", { ...says("user"), [key]: value });
  expect(listed(start()).off).toEqual({});
});

test("strictPluginOnlyCustomization for other things does not affect hooks", () => {
  everywhere();
  put("managed", { strictPluginOnlyCustomization: ["skills"] });
  expect(listed(start()).off).toEqual({});
});

test("--bare skips the hooks in settings files, but not managed ones or those of --settings", () => {
  everywhere();
  const why = "--bare skips the hooks in settings files";
  const expected = { active: ["flag", "managed"], off: { user: why, project: why, local: why } };
  const settings = JSON.stringify(says("flag"));
  expect(listed(start({ bare: true, settings }))).toEqual(expected);
  expect(listed(start({ settings }, { CLAUDE_CODE_SIMPLE: "1" }))).toEqual(expected);
});

test("invalid lists that limit http hooks allow nothing, and an untrusted folder cannot extend them", () => {
  put("user", { allowedHttpHookUrls: "https://hooks.example/*", httpHookAllowedEnvVars: ["A"] });
  put("project", { allowedHttpHookUrls: ["*"], httpHookAllowedEnvVars: ["SECRET"] });
  expect(start().settings).toEqual({ allowedHttpHookUrls: [], httpHookAllowedEnvVars: ["A"] });
});

const GOOD = { type: "command", command: "good" };
const group = (...hooks: unknown[]) => ({ PreToolUse: [{ matcher: "Bash", hooks }] });
const first = "hooks.PreToolUse[0].hooks[0]";

test.each<[what: string, handler: unknown, warning: string]>([
  ["no type", { command: "x" }, ".type is missing; it should be one of command, http, mcp_tool, prompt, agent"],
  ["an unknown type", { type: "cmd" }, '.type should be one of command, http, mcp_tool, prompt, agent, not "cmd"'],
  [
    "a callback in a file",
    { type: "callback" },
    '.type should be one of command, http, mcp_tool, prompt, agent, not "callback"',
  ],
  ["no object", "x", ' should be a handler, such as {"type": "command", "command": "./check.sh"}, not "x"'],
  ["no command", { type: "command" }, ".command is missing; it should be a command"],
  ["an empty command", { type: "command", command: " " }, '.command should be a command, not " "'],
  ["args of numbers", { type: "command", command: "x", args: [1] }, ".args should be a list of strings, not [1]"],
  [
    "an unknown shell",
    { type: "command", command: "x", shell: "fish" },
    '.shell should be "bash" or "powershell", not "fish"',
  ],
  ["no url", { type: "http" }, ".url is missing; it should be a URL that starts with http:// or https://"],
  [
    "a file url",
    { type: "http", url: "file:///x" },
    '.url should be a URL that starts with http:// or https://, not "file:///x"',
  ],
  ["no server", { type: "mcp_tool", tool: "t" }, ".server is missing; it should be the name of an MCP server"],
  ["no tool", { type: "mcp_tool", server: "s" }, ".tool is missing; it should be the name of one of its tools"],
  ["a list as input", { type: "mcp_tool", server: "s", tool: "t", input: [] }, ".input should be an object, not []"],
  ["no prompt", { type: "prompt" }, ".prompt is missing; it should be a prompt"],
  ["no prompt for an agent", { type: "agent", prompt: 3 }, ".prompt should be a prompt, not 3"],
])("a handler with %s drops only itself", (_, handler, warning) => {
  put("user", { hooks: group(handler, GOOD) });
  const { hooks, warnings } = start();
  expect(hooks.active.map((each) => each.handler)).toEqual([GOOD as never]);
  expect(warnings.map((text) => text.replace(`${root}/${FILES.user}: ${first}`, ""))).toEqual([
    expect.stringMatching(/^.*; (this hook|it) is ignored$/),
  ]);
  expect(warnings[0]).toContain(`${first}${warning};`);
});

test.each<[detail: object, kept: object, warning: string]>([
  [{ timeout: "5" }, {}, '.timeout should be a number of seconds greater than 0, not "5"; it is ignored'],
  [{ timeout: 0 }, {}, ".timeout should be a number of seconds greater than 0, not 0; it is ignored"],
  [{ async: "yes" }, {}, '.async should be true or false, not "yes"; it is ignored'],
  [
    { onFailure: "stop" },
    { onFailure: "block" },
    '.onFailure should be "continue" or "block", not "stop"; "block" is used instead',
  ],
  [
    { if: "Bash(git" },
    {},
    '.if should be one permission rule, such as "Bash(git *)", not "Bash(git"; ' +
      "until this is fixed, the hook runs on everything its matcher matches",
  ],
])("a bad detail %p drops only the detail", (detail, kept, warning) => {
  put("user", { hooks: group({ ...GOOD, ...detail }) });
  const { hooks, warnings } = start();
  expect(hooks.active.map((each) => each.handler)).toEqual([{ ...GOOD, ...kept } as never]);
  expect(warnings).toEqual([`${root}/${FILES.user}: ${first}${warning}`]);
});

test("unknown fields are dropped", () => {
  put("user", { hooks: group({ ...GOOD, colour: "blue" }) });
  expect(start().hooks.active.map((each) => each.handler)).toEqual([GOOD as never]);
});

test("an invalid matcher matches everything", () => {
  put("user", {
    hooks: {
      PreToolUse: [
        { matcher: "Bash(", hooks: [GOOD] },
        { matcher: ["Edit"], hooks: [GOOD] },
      ],
    },
  });
  const { hooks, warnings } = start();
  expect(hooks.active.map(({ matcher }) => matcher)).toEqual([undefined, undefined]);
  expect(warnings.map((text) => text.slice(text.indexOf("hooks.")))).toEqual([
    'hooks.PreToolUse[0].matcher is not a regular expression: "Bash("; until this is fixed, its hooks run on everything',
    'hooks.PreToolUse[1].matcher should be a string, such as "Bash" or "Edit|Write", not ["Edit"]; ' +
      "until this is fixed, its hooks run on everything",
  ]);
});

test("invalid events and groups are ignored one by one, and the warning shows how to write them", () => {
  put("user", {
    hooks: {
      preToolUse: [],
      onStop: [],
      Whenever: [],
      Stop: { hooks: [GOOD] },
      SessionEnd: [GOOD, "x", { matcher: "*" }, { hooks: [GOOD] }],
    },
  });
  const { hooks, warnings } = start();
  expect(hooks.active.map(({ event }) => event)).toEqual(["SessionEnd"]);
  const group = '{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}';
  expect(warnings.map((text) => text.slice(text.indexOf("hooks.")))).toEqual([
    "hooks.preToolUse is not a hook event (did you mean PreToolUse?); it is ignored",
    "hooks.onStop is not a hook event (did you mean Stop?); it is ignored",
    "hooks.Whenever is not a hook event; it is ignored",
    `hooks.Stop should be a list, such as [${group}], not {"hooks":[{"type":"command","command":"good"}]}; it is ignored`,
    'hooks.SessionEnd[0] is a handler, but should be a group; wrap it in {"hooks": [ … ]}; it is ignored',
    `hooks.SessionEnd[1] should be an object, such as ${group}, not "x"; it is ignored`,
    "hooks.SessionEnd[2].hooks is missing; it should be a list of handlers, such as " +
      '[{"type": "command", "command": "./check.sh"}]; this group is ignored',
  ]);
});

test("what an administrator gives keeps its hooks where only managed ones run, and what a user gives loses them", () => {
  const text = (name: string) =>
    `---\nname: ${name}\ndescription: x\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: ${name}\n---\nDo it\n`;
  const file = (path: string, name: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text(name));
  };
  file("managed/.claude/skills/ours/SKILL.md", "ours");
  file("managed/.claude/agents/our-agent.md", "our-agent");
  file("home/.claude/skills/mine/SKILL.md", "mine");
  file("home/.claude/agents/my-agent.md", "my-agent");
  everywhere();
  put("managed", { ...says("managed"), allowManagedHooksOnly: true });
  const snapshot = start();
  const brought = [
    ...snapshot.hooks.active,
    ...loadSkills(snapshot).skills.flatMap((skill) => skill.hooks),
    ...loadAgents(snapshot)
      .list()
      .flatMap((agent) => agent.hooks),
  ];
  const run = brought.filter((registration) => whyHookOff(registration, snapshot.hooks.policy) === undefined);
  expect(run.map(({ handler }) => (handler.type === "command" ? handler.command : "?"))).toEqual([
    "managed",
    "ours",
    "our-agent",
  ]);
  expect(brought).toHaveLength(4);
});
