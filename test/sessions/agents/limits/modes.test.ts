// The mode of an agent: its parent's mode, by what its definition asks for, where the definition comes from, and how the
// agent is started. A hook of the user reports the mode of each call, and a file shows whether the call ran.

import { expect, test } from "bun:test";
import { PERMISSION_MODES, type PermissionMode } from "@keelson/protocol";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  testUnless,
  type ScriptedCall,
  type TemporaryHome,
} from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";
import { confinementMissing } from "../../needs-bubblewrap.ts";
import { addAgent, trust } from "../agent-home.ts";
import { agent, cast } from "../cast.ts";

const USER = { folder: "~/.claude/agents" };
const skill = (name: string): ScriptedCall => ({ name: "Skill", input: { skill: name } });
const start = (prompt: string, more: object): ScriptedCall => ({
  name: "Agent",
  input: { description: "x", prompt, ...more },
});
/** The agent writes a file of this name. */
const attempt = (name: string, type: string, more: object = {}) =>
  start(`Attempt ${name}.`, { subtype: "x", subagent_type: type, ...more });
/** The agent starts another one, which does. */
const throughAnother = (name: string, first: string, then: string) =>
  start(`Have ${then} attempt-below ${name}.`, { subagent_type: first });

/** Agents write their file, or start the one that does; the main agent makes these calls, one reply after the other. */
async function play(
  home: TemporaryHome,
  main: readonly (readonly ScriptedCall[] | ((body: any) => readonly ScriptedCall[]))[],
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
) {
  const log = join(home.root, "tmp", "modes.log");
  writeFileSync(log, "");
  home.settings({
    hooks: { PreToolUse: [{ matcher: "Write", hooks: [{ type: "command", command: `cat >> ${log}` }] }] },
  });
  let at = 0;
  await using model = await startMockModel((body: any) => {
    const said = textsOf(body.messages);
    const below = /Have (\S+) attempt-below (\S+)\./.exec(said);
    const name = [...said.matchAll(/Attempt (\S+)\./g)].at(-1)?.[1];
    const isAnswered = JSON.stringify(body.messages.at(-1)).includes('"tool_result"');
    if (isAnswered && (below || name)) return { text: "done" };
    if (below) return { calls: [attempt(below[2]!, below[1]!)] };
    if (name) return { calls: [{ name: "Write", input: { file_path: name, content: "x" } }] };
    const calls = main[at++];
    if (calls === undefined) return { text: "done" };
    return { calls: typeof calls === "function" ? calls(body) : calls };
  });
  const run = await runKeelson(["-p", "Go", ...STREAM, ...flags], {
    home,
    url: model.url,
    env: { IS_SANDBOX: "1", CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH: "2", ...env },
  });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  const modes: Record<string, string> = {};
  for (const line of readFileSync(log, "utf8").replaceAll("}{", "}\n{").split("\n").filter(Boolean)) {
    const { permission_mode: mode, tool_input: input } = JSON.parse(line);
    const name = input.file_path.split("/").at(-1)!;
    modes[name] = existsSync(join(home.project, name)) ? `${mode}, wrote` : mode;
  }
  return modes;
}

const textsOf = (messages: readonly any[]): string =>
  messages
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => [content].flat())
    .map((block) => (typeof block === "string" ? block : block.type === "text" ? block.text : ""))
    .filter((text: string) => !text.startsWith("<system-reminder>"))
    .join("\n");

const flagsOf = (mode: PermissionMode) =>
  mode === "bypassPermissions" ? ["--dangerously-skip-permissions"] : ["--permission-mode", mode];

/** By the mode of the parent, the modes that a definition of the user leads to. What is absent is the parent's. */
const TABLE: Readonly<Record<PermissionMode, Partial<Record<PermissionMode, PermissionMode>>>> = {
  plan: {},
  dontAsk: { plan: "plan" },
  default: { plan: "plan", dontAsk: "dontAsk", acceptEdits: "acceptEdits" },
  acceptEdits: { plan: "plan", dontAsk: "dontAsk", default: "default" },
  auto: { plan: "plan", dontAsk: "dontAsk", default: "default", acceptEdits: "acceptEdits" },
  bypassPermissions: {
    ...{ plan: "plan", dontAsk: "dontAsk", default: "default" },
    ...{ acceptEdits: "acceptEdits", auto: "auto" },
  },
};
const WRITES = new Set<PermissionMode>(["acceptEdits", "auto", "bypassPermissions"]);
const shown = (mode: PermissionMode) => (WRITES.has(mode) ? `${mode}, wrote` : mode);

test.each(PERMISSION_MODES)("below %s, however the agent is started", async (parent) => {
  using home = temporaryHome();
  for (const wanted of PERMISSION_MODES) {
    addAgent(home, wanted, { ...USER, head: `permissionMode: ${wanted}\n` });
    home.write(
      `~/.claude/skills/as-${wanted}/SKILL.md`,
      `---\nname: as-${wanted}\ndescription: x\ncontext: fork\nagent: ${wanted}\n---\nAttempt skill-${wanted}.\n`,
    );
  }
  const modes = await play(
    home,
    [
      PERMISSION_MODES.map((wanted) => attempt(`front-${wanted}`, wanted)),
      PERMISSION_MODES.map((wanted) => attempt(`back-${wanted}`, wanted, { run_in_background: true })),
      PERMISSION_MODES.map((wanted) => skill(`as-${wanted}`)),
      PERMISSION_MODES.map((wanted) => throughAnother(`under-${wanted}`, "general-purpose", wanted)),
      PERMISSION_MODES.map((wanted) => throughAnother(`above-${wanted}`, wanted, "general-purpose")),
      [
        throughAnother("planner-editor", "plan", "acceptEdits"),
        throughAnother("silent-editor", "dontAsk", "acceptEdits"),
      ],
    ],
    { flags: flagsOf(parent) },
  );
  const expected: Record<string, string> = {
    "planner-editor": "plan",
    "silent-editor": parent === "plan" ? "plan" : "dontAsk",
  };
  for (const wanted of PERMISSION_MODES)
    for (const kind of ["front", "back", "skill", "under", "above"])
      expected[`${kind}-${wanted}`] = shown(TABLE[parent][wanted] ?? parent);
  expect(modes).toEqual(expected);
});

test("by where the definition comes from", async () => {
  const head = (mode: PermissionMode) => ({ head: `permissionMode: ${mode}\n` });
  const kit = (home: TemporaryHome) => {
    home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" });
    for (const mode of PERMISSION_MODES)
      home.write(`~/kit/agents/${mode}.md`, `---\ndescription: x\npermissionMode: ${mode}\n---\nx\n`);
    return ["--plugin-dir", join(home.home, "kit")];
  };
  const both = (prefix = "") => [attempt("edits", `${prefix}acceptEdits`), attempt("plans", `${prefix}plan`)];
  const flagged = Object.fromEntries(
    (["acceptEdits", "plan"] as const).map((mode) => [mode, { description: "x", prompt: "x", permissionMode: mode }]),
  );
  const found: unknown[] = [];
  for (const parent of ["default", "acceptEdits"] as const) {
    for (const place of ["user", "trusted project", "project", "--agents", "plugin"]) {
      using home = temporaryHome();
      const isProject = place.endsWith("project");
      if (place === "user" || isProject)
        for (const mode of ["acceptEdits", "plan"] as const)
          addAgent(home, mode, { ...(isProject ? {} : USER), ...head(mode) });
      if (place === "trusted project") trust(home);
      const more = place === "plugin" ? kit(home) : place === "--agents" ? ["--agents", JSON.stringify(flagged)] : [];
      const calls = both(place === "plugin" ? "kit:" : "");
      const { edits, plans } = await play(home, [calls], { flags: [...flagsOf(parent), ...more] });
      found.push([parent, place, edits, plans]);
    }
  }
  expect(found).toEqual([
    ["default", "user", "acceptEdits, wrote", "plan"],
    ["default", "trusted project", "acceptEdits, wrote", "plan"],
    ["default", "project", "default", "plan"],
    ["default", "--agents", "acceptEdits, wrote", "plan"],
    ["default", "plugin", "default", "plan"],
    ["acceptEdits", "user", "acceptEdits, wrote", "plan"],
    ["acceptEdits", "trusted project", "acceptEdits, wrote", "plan"],
    ["acceptEdits", "project", "acceptEdits, wrote", "plan"],
    ["acceptEdits", "--agents", "acceptEdits, wrote", "plan"],
    ["acceptEdits", "plugin", "acceptEdits, wrote", "plan"],
  ]);
});

/** By the mode of the parent, what a definition leads to that may only narrow. What is absent is the parent's mode. */
const NARROWED: typeof TABLE = {
  ...TABLE,
  default: { plan: "plan", dontAsk: "dontAsk" },
  auto: { plan: "plan", dontAsk: "dontAsk", default: "default" },
};

test.each(PERMISSION_MODES)("a plugin and a folder that is not trusted can only narrow %s", async (parent) => {
  using home = temporaryHome();
  home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" });
  for (const wanted of PERMISSION_MODES) {
    addAgent(home, wanted, { head: `permissionMode: ${wanted}\n` });
    home.write(`~/kit/agents/${wanted}.md`, `---\ndescription: x\npermissionMode: ${wanted}\n---\nx\n`);
  }
  const modes = await play(
    home,
    [
      PERMISSION_MODES.map((wanted) => attempt(`folder-${wanted}`, wanted)),
      PERMISSION_MODES.map((wanted) => attempt(`plugin-${wanted}`, `kit:${wanted}`)),
    ],
    { flags: [...flagsOf(parent), "--plugin-dir", join(home.home, "kit")] },
  );
  const expected: Record<string, string> = {};
  for (const wanted of PERMISSION_MODES)
    for (const place of ["folder", "plugin"])
      expected[`${place}-${wanted}`] = shown(NARROWED[parent][wanted] ?? parent);
  expect(modes).toEqual(expected);
});

test("a skill that is not trusted, or of a plugin, does not widen the mode by the agent that it names", async () => {
  using home = temporaryHome();
  addAgent(home, "editor", { ...USER, head: "permissionMode: acceptEdits\n" });
  const text = (name: string) => `---\ndescription: x\ncontext: fork\nagent: editor\n---\nAttempt ${name}.\n`;
  home.write("~/.claude/skills/mine/SKILL.md", text("mine"));
  home.write(".claude/skills/theirs/SKILL.md", text("theirs"));
  home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" });
  home.write("~/kit/skills/packed/SKILL.md", text("packed"));
  const calls = [skill("mine"), skill("theirs"), skill("kit:packed")];
  const flags = ["--plugin-dir", join(home.home, "kit")];
  expect(await play(home, [calls], { flags })).toEqual({
    mine: "acceptEdits, wrote",
    theirs: "default",
    packed: "default",
  });
});

test("an agent that continues has the mode of its definition; one whose file was edited is not widened", async () => {
  using home = temporaryHome();
  addAgent(home, "editor", { ...USER, head: "permissionMode: acceptEdits\n" });
  addAgent(home, "planner", { ...USER, head: "permissionMode: plan\n" });
  const ids = (body: any) =>
    [...JSON.stringify(body.messages).matchAll(/agentId: (a[0-9a-f]{16})/g)].map(([, id]) => id!);
  const write = (to: string, name: string): ScriptedCall => ({
    name: "SendMessage",
    input: { to, message: `Attempt ${name}.`, summary: "x" },
  });
  const become = (id: string, agentType: string) => {
    const folder = join(home.configDir, "projects");
    const path = (readdirSync(folder, { recursive: true }) as string[]).find((each) =>
      each.endsWith(`${id}.meta.json`),
    )!;
    const meta = JSON.parse(readFileSync(join(folder, path), "utf8"));
    writeFileSync(join(folder, path), JSON.stringify({ ...meta, agentType }));
  };
  const modes = await play(home, [
    [attempt("a", "editor"), attempt("b", "planner"), attempt("c", "general-purpose")],
    (body) => {
      const [editor, planner, general] = ids(body) as [string, string, string];
      become(general, "editor");
      return [write(editor, "editor-again"), write(planner, "planner-again"), write(general, "general-again")];
    },
  ]);
  expect(modes).toEqual({
    ...{ a: "acceptEdits, wrote", b: "plan", c: "default" },
    ...{ "editor-again": "acceptEdits, wrote", "planner-again": "plan", "general-again": "default" },
  });
});

test.each([
  ["default", "acceptEdits", "acceptEdits, wrote"],
  ["acceptEdits", "plan", "plan"],
  ["acceptEdits", "dontAsk", "dontAsk"],
  ["default", "bypassPermissions", "default"],
  ["bypassPermissions", "plan", "plan"],
  ["bypassPermissions", "default", "default"],
] as const)("a teammate below %s whose definition says %s works in %s", async (parent, wanted, mode) => {
  using home = temporaryHome();
  addAgent(home, "mate", { ...USER, head: `permissionMode: ${wanted}\n` });
  const env = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" };
  home.write("~/.claude/settings.json", { teammateMode: "in-process" });
  const modes = await play(home, [[attempt("file", "mate", { name: "bob" })]], { flags: flagsOf(parent), env });
  expect(modes).toEqual({ file: mode });
});

test("where bypassing is disabled, no definition brings it back", async () => {
  using home = temporaryHome();
  for (const wanted of ["auto", "bypassPermissions"] as const)
    addAgent(home, wanted, { ...USER, head: `permissionMode: ${wanted}\n` });
  const settings = { permissions: { disableBypassPermissionsMode: "disable" }, disableAutoMode: "disable" };
  const flags = ["--settings", JSON.stringify(settings)];
  const calls = [attempt("a", "auto"), attempt("b", "bypassPermissions")];
  expect(await play(home, [calls], { flags })).toEqual({ a: "default", b: "default" });
});

testUnless(confinementMissing(), test)(
  "behind the shield, only commands of agents that bypass change guarded files",
  async () => {
    using home = temporaryHome();
    addAgent(home, "editor", { ...USER, head: "permissionMode: acceptEdits\n" });
    home.settings({ permissions: { allow: ["Bash(sh script.sh *)"] } });
    home.write("script.sh", 'echo x > "$1"; true\n');
    const command = (name: string) => ({ calls: [{ name: "Bash", input: { command: `sh script.sh ${name}` } }] });
    const done = { text: "done" };
    await using model = await startMockModel(
      cast({
        main: [{ calls: [agent("Try it", { subagent_type: "editor" }), agent("Do it")] }, done],
        "Try it": [command(".envrc"), command("made"), done],
        "Do it": [command(".npmrc"), done],
      }),
    );
    const flags = ["-p", "Go", ...STREAM, "--dangerously-skip-permissions"];
    await runKeelson(flags, { home, url: model.url, env: { IS_SANDBOX: "1" } });
    const made = [".envrc", "made", ".npmrc"].filter((name) => existsSync(join(home.project, name)));
    expect(made).toEqual(["made", ".npmrc"]);
  },
);
