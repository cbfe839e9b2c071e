// Policies × sources: what each policy takes away, from everyone who can bring hooks, rules, servers, skills, agents and
// commands in skills. One world has all sources, and the program runs in it once for each policy.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AgentSource, HookRegistration, McpScope, SkillSource } from "@keelson/protocol";
import { SETTINGS_TABLE, type SettingsRow } from "@keelson/protocol/settings-table";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { CHAT, control, prompt } from "../front-door.ts";
import { fakeServer, type FakeServer } from "../servers/fake.ts";
import { writeState } from "../terminal/at-terminal.ts";

/** Who can bring what. A mark is `kind source`. */
const SOURCES = {
  hook: [
    ...["user", "project", "local", "flag", "plugin", "sdk"],
    ...["user-skill", "project-skill", "command", "plugin-skill"],
    ...["user-agent", "project-agent", "flag-agent", "sdk-agent"],
  ],
  rule: [...["user", "project", "local", "flag", "cli"], ...["user-skill", "project-skill", "command", "plugin-skill"]],
  shell: ["user-skill", "project-skill", "command", "plugin-skill"],
  server: ["user", "project", "local", "flag", "plugin", "sdk", "user-agent"],
  skill: ["user-skill", "project-skill", "command", "plugin-skill"],
  agent: ["user-agent", "project-agent", "flag-agent", "sdk-agent", "plugin-agent"],
} as const;

const all = Object.entries(SOURCES).flatMap(([kind, sources]) => sources.map((source) => `${kind} ${source}`));
const only = (kind: string, ...kept: readonly string[]) =>
  all.filter((mark) => mark.startsWith(`${kind} `) && !kept.includes(mark.slice(kind.length + 1)));

interface Policy {
  readonly managed?: object;
  readonly user?: object;
  readonly project?: object;
  /** What is lost, of everything. */
  readonly loses: readonly string[];
}

const OF_PLUGINS = ["plugin", "plugin-skill", "plugin-agent"];

const POLICIES: Readonly<Record<string, Policy>> = {
  "no policy": { loses: [] },
  allowManagedHooksOnly: { managed: { allowManagedHooksOnly: true }, loses: only("hook", "sdk") },
  "disableAllHooks of the user": { user: { disableAllHooks: true }, loses: only("hook", "sdk") },
  "strictPluginOnlyCustomization: hooks": {
    managed: { strictPluginOnlyCustomization: ["hooks"] },
    loses: only("hook", "sdk", ...OF_PLUGINS),
  },
  "strictPluginOnlyCustomization: mcp": {
    managed: { strictPluginOnlyCustomization: ["mcp"] },
    loses: only("server", ...OF_PLUGINS),
  },
  "strictPluginOnlyCustomization: skills": {
    managed: { strictPluginOnlyCustomization: ["skills"] },
    loses: all.filter((mark) => / (?:user-skill|project-skill|command)$/.test(mark)),
  },
  "strictPluginOnlyCustomization: agents": {
    managed: { strictPluginOnlyCustomization: ["agents"] },
    loses: all.filter((mark) => / (?:user|project|flag|sdk)-agent$/.test(mark)),
  },
  allowManagedPermissionRulesOnly: { managed: { allowManagedPermissionRulesOnly: true }, loses: only("rule") },
  deniedMcpServers: {
    managed: { deniedMcpServers: [...SOURCES.server, "plugin:kit:plugin"].map((serverName) => ({ serverName })) },
    loses: only("server"),
  },
  "allowedMcpServers of the user": { user: { allowedMcpServers: [] }, loses: only("server") },
  "disableSkillShellExecution of an administrator": {
    managed: { disableSkillShellExecution: true },
    loses: only("shell"),
  },
  "disableSkillShellExecution of the user, which the project turns off": {
    user: { disableSkillShellExecution: true },
    project: { disableSkillShellExecution: false },
    loses: only("shell"),
  },
};

const hooks = (name: string) => ({ Stop: [{ hooks: [{ type: "command", command: `touch 'hook ${name}'` }] }] });
const settings = (name: string, more: object = {}) => ({
  ...more,
  hooks: hooks(name),
  permissions: { allow: [`Bash(touch 'rule ${name}')`] },
});
const inFile = (name: string) => `---
name: ${name}
description: x
allowed-tools: Bash(touch 'rule ${name}')
hooks:
  Stop:
    - hooks:
        - type: command
          command: touch 'hook ${name}'
`;
const skillFile = (name: string) => `${inFile(name)}---\nSay !\`echo sh''ell ${name}\` and go on.\n`;
const agentFile = (name: string, more = "") => `${inFile(name)}${more}---\nHelp.\n`;

/** Runs the program in a world with all sources. Returns the marks that each of them left. */
async function marksUnder(
  home: TemporaryHome,
  { managed, user = {}, project = {} }: Policy,
): Promise<readonly string[]> {
  const servers = Object.fromEntries(
    SOURCES.server.map((name) => [name, fakeServer(home, name, { tools: ["echo"] })]),
  ) as Record<(typeof SOURCES.server)[number], FakeServer>;
  const own = (name: keyof typeof servers) => ({ [name]: servers[name].entry });
  home.write("~/.claude.json", {
    mcpServers: own("user"),
    projects: { [home.project]: { hasTrustDialogAccepted: true, mcpServers: own("local") } },
  });
  home.write(".mcp.json", { mcpServers: own("project") });
  home.settings(settings("user", { enableAllProjectMcpServers: true, ...user }));
  home.write(".claude/settings.json", settings("project", project));
  home.write(".claude/settings.local.json", settings("local"));
  home.write("~/.claude/skills/user-skill/SKILL.md", skillFile("user-skill"));
  home.write(".claude/skills/project-skill/SKILL.md", skillFile("project-skill"));
  home.write(".claude/commands/command.md", skillFile("command"));
  const config = JSON.stringify([own("user-agent")]);
  home.write("~/.claude/agents/user-agent.md", agentFile("user-agent", `mcpServers: ${config}\n`));
  home.write(".claude/agents/project-agent.md", agentFile("project-agent"));
  home.write("~/kit/.claude-plugin/plugin.json", { name: "kit" });
  home.write("~/kit/hooks/hooks.json", { hooks: hooks("plugin") });
  home.write("~/kit/.mcp.json", own("plugin"));
  home.write("~/kit/skills/plugin-skill/SKILL.md", skillFile("plugin-skill"));
  home.write("~/kit/agents/plugin-agent.md", agentFile("plugin-agent"));
  const described = (name: string) => ({ [name]: { description: "x", prompt: "Help.", hooks: hooks(name) } });

  const calls = SOURCES.rule.map((name) => ({ name: "Bash", input: { command: `touch 'rule ${name}'` } }));
  const agents = ["user-agent", "project-agent", "flag-agent", "sdk-agent"].map((name) => ({
    name: "Agent",
    input: { description: "x", prompt: "Help", subagent_type: name },
  }));
  const steps = [{ calls }, { calls: agents }];
  const isMain = (body: any) => JSON.stringify(body.messages).includes("all of you");
  await using model = await startMockModel(
    ((body: any) => (isMain(body) && steps.shift()) || { text: "done" }) as never,
  );
  const flags = [
    ...["--settings", JSON.stringify(settings("flag"))],
    ...["--allowedTools", "Bash(touch 'rule cli')"],
    ...["--plugin-dir", join(home.root, "home", "kit")],
    ...["--agents", JSON.stringify(described("flag-agent"))],
    ...["--mcp-config", JSON.stringify({ mcpServers: own("flag") })],
    ...(managed ? ["--managed-settings", JSON.stringify(managed)] : []),
  ];
  await using program = startKeelson(["-p", ...CHAT, ...flags], { home, url: model.url, stdin: "open" });
  const callbacks = { Stop: [{ hookCallbackIds: ["sdk"] }] };
  program.send(control("a", { subtype: "initialize", hooks: callbacks, agents: described("sdk-agent") }));
  program.send(control("b", { subtype: "mcp_set_servers", servers: own("sdk") }));
  await program.waitForLine(({ response }) => response?.request_id === "b");
  const names = ["user-skill", "project-skill", "command", "kit:plugin-skill"];
  // Where one of them is not known, the others still are.
  const known = (await program.waitForLine(({ response }) => response?.request_id === "a")).text;
  const typed = names.filter((name) => known.includes(`"name":"${name}"`));
  program.send(prompt(`${typed.map((name) => `/${name}`).join(" ")} all of you`));
  const asked = await program.waitForLine(
    ({ type, request }) => type === "result" || request?.subtype === "hook_callback",
  );
  if (asked.json.type !== "result") {
    program.send({
      type: "control_response",
      response: { subtype: "success", request_id: asked.json.request_id, response: {} },
    });
    await program.waitForLine(({ type }) => type === "result");
  }
  program.closeStdin();
  const { messages } = await program.done;
  const init = messages.find(({ subtype }) => subtype === "init");
  const read = JSON.stringify(model.requests.map(({ body }) => body.messages));
  const found: Readonly<Record<keyof typeof SOURCES, (source: string) => boolean>> = {
    hook: (source) =>
      existsSync(join(home.project, `hook ${source}`)) || (source === "sdk" && asked.json.type !== "result"),
    rule: (source) => existsSync(join(home.project, `rule ${source}`)),
    shell: (source) => read.includes(`Say shell ${source} and`),
    server: (source) => servers[source as keyof typeof servers].notes.length > 0,
    skill: (source) => init.slash_commands.some((name: string) => name === source || name === `kit:${source}`),
    agent: (source) => init.agents.some((name: string) => name === source || name === `kit:${source}`),
  };
  return Object.entries(SOURCES).flatMap(([kind, sources]) =>
    sources.filter((source) => found[kind as keyof typeof SOURCES](source)).map((source) => `${kind} ${source}`),
  );
}

test.each(Object.entries(POLICIES))("%s", async (_, policy) => {
  using home = temporaryHome();
  const marks = await marksUnder(home, policy);
  expect(all.filter((mark) => !marks.includes(mark))).toEqual(all.filter((mark) => policy.loses.includes(mark)));
});

test.each<[string, object, object, boolean]>([
  ["allowed", {}, {}, true],
  ["turned off by an administrator who allows only managed hooks", { allowManagedHooksOnly: true }, {}, false],
  ["turned off by a user who turns all hooks off", {}, { disableAllHooks: true }, false],
])("commands for the status line and for file names run by themselves, and are %s", async (_, managed, user, runs) => {
  using home = temporaryHome();
  writeState(home);
  const line = (name: string) => ({ type: "command", command: `touch '${join(home.root, name)}'; echo '${name} ran'` });
  home.settings({ ...user, statusLine: line("status"), fileSuggestion: line("names") });
  await using model = await startMockModel([{ text: "I am done." }]);
  const args = ["--managed-settings", JSON.stringify(managed)];
  await using terminal = startTerminal({ home, url: model.url, columns: 80, rows: 24, args });
  await terminal.until(runs ? "status ran" : /^❯/m);
  terminal.type("look at @na");
  await terminal.until(runs ? "names ran" : "look at @na");
  terminal.type(" \r");
  await terminal.until("I am done.");
  expect(["status", "names"].map((name) => existsSync(join(home.root, name)))).toEqual([runs, runs]);
});

const SIDELOADED: Readonly<Record<string, readonly string[]>> = {
  "--plugin-dir": ["--plugin-dir", "."],
  "--agents": ["--agents", JSON.stringify({ a: { description: "x", prompt: "y" } })],
  "--mcp-config": ["--mcp-config", JSON.stringify({ mcpServers: { a: { command: "true" } } })],
};
const NO_SIDELOADING = ["--managed-settings", JSON.stringify({ disableSideloadFlags: true })];

test.each(Object.entries(SIDELOADED))("disableSideloadFlags refuses %s", async (_, flags) => {
  using home = temporaryHome();
  const ended = await runKeelson(["-p", "hi", ...NO_SIDELOADING, ...flags], { home });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("(disableSideloadFlags)")]);
});

test("disableSideloadFlags also refuses what a client brings, except its own hooks", async () => {
  using home = temporaryHome();
  const server = fakeServer(home, "sdk", { tools: ["echo"] });
  await using model = await startMockModel([{ text: "done" }]);
  await using program = startKeelson(["-p", ...CHAT, ...NO_SIDELOADING], { home, url: model.url, stdin: "open" });
  const agents = { "sdk-agent": { description: "x", prompt: "y" } };
  program.send(control("a", { subtype: "initialize", agents }));
  program.send(control("b", { subtype: "mcp_set_servers", servers: { sdk: server.entry } }));
  program.send(prompt("go"));
  await program.waitForLine(({ type }) => type === "result");
  program.closeStdin();
  const { messages } = await program.done;
  const init = messages.find(({ subtype }) => subtype === "init");
  expect([init.agents.includes("sdk-agent"), server.notes]).toEqual([false, []]);
});

/** Policies that are about something else than what this table has, and where they are tested. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "permissions.disableBypassPermissionsMode": "test/sessions/run/hostile-folder/settings.test.ts",
  "permissions.disableAutoMode": "packages/runtime/src/gate/mode-refusal.test.ts",
  disableAutoMode: "packages/runtime/src/gate/mode-refusal.test.ts",
  requireTrust: "packages/config/src/trust/require-trust.test.ts",
  "autoMode.classifyAllShell": "test/sessions/gate/auto.test.ts",
  "sandbox.failIfUnavailable": "test/sessions/shield/sandbox.test.ts",
  "sandbox.filesystem.allowManagedReadPathsOnly": "packages/config/src/scopes/managed-lists.test.ts",
  "sandbox.network.strictAllowlist": "packages/runtime/src/web/domains.test.ts",
  "sandbox.network.allowManagedDomainsOnly": "packages/config/src/scopes/managed-lists.test.ts",
  "sandbox.projectMcpServers": "test/sessions/servers/connections/confined.test.ts",
  strictKnownMarketplaces: "packages/config/src/plugins/collect.test.ts",
  blockedMarketplaces: "packages/config/src/plugins/market/marketplace.test.ts",
  allowManagedMcpServersOnly: "packages/config/src/mcp/choice/policy.test.ts",
};
/** Only administrators have them, and they forbid nothing. */
const NO_POLICY = ["claudeMd", "managedMcpServers", "sandbox.bwrapPath", "sandbox.socatPath"];

test("every policy has a row here, or a test elsewhere", async () => {
  const isPolicy = ([, { type, holders, means }]: [string, SettingsRow]) =>
    means !== undefined &&
    (("wins" in type && type.wins) ||
      holders.every((each) => each === "managed") ||
      ("strict" in type && type.strict === "disable"));
  const policies = Object.entries<SettingsRow>(SETTINGS_TABLE).filter(isPolicy);
  const rows = JSON.stringify([POLICIES, NO_SIDELOADING]);
  const lost: string[] = [];
  for (const [key] of policies) {
    if (NO_POLICY.includes(key) || rows.includes(key)) continue;
    const file = ELSEWHERE[key];
    const name = key.split(".").at(-1)!;
    const text = file === undefined ? "" : await Bun.file(join(import.meta.dir, "../../..", file)).text();
    if (!text.includes(name)) lost.push(key);
  }
  expect([policies.length > 15, lost]).toEqual([true, []]);
});

/** Every source that the types know, and its name above. `managed`: packages/config/src/load/hooks.test.ts. */
const HOOK_SOURCES = {
  userSettings: "user",
  projectSettings: "project",
  localSettings: "local",
  flagSettings: "flag",
  pluginHook: "plugin",
  skill: "user-skill",
  agent: "user-agent",
  sdk: "sdk",
  policySettings: "managed",
  // These are sources of rules only.
  cliArg: "none",
  session: "none",
  command: "none",
} satisfies Readonly<Record<HookRegistration["source"], string>>;
const SKILL_SOURCES = {
  user: "user-skill",
  project: "project-skill",
  plugin: "plugin-skill",
  managed: "managed",
  // Found later or elsewhere, and collected as those of the project.
  nested: "project-skill",
  directory: "project-skill",
  // Neither has hooks or inline commands.
  bundled: "none",
  mcp: "none",
} satisfies Readonly<Record<SkillSource, string>>;
const AGENT_SOURCES = {
  user: "user-agent",
  project: "project-agent",
  flag: "flag-agent",
  plugin: "plugin-agent",
  managed: "managed",
  "built-in": "none",
} satisfies Readonly<Record<AgentSource, string>>;
const SERVER_SOURCES = {
  user: "user",
  project: "project",
  local: "local",
  dynamic: "flag",
  plugin: "plugin",
  agent: "user-agent",
  enterprise: "managed",
  managed: "managed",
} satisfies Readonly<Record<McpScope, string>>;

test("every source has a column", () => {
  const columns: Readonly<Record<string, readonly string[]>> = {
    hook: Object.values(HOOK_SOURCES),
    skill: Object.values(SKILL_SOURCES),
    agent: Object.values(AGENT_SOURCES),
    server: Object.values(SERVER_SOURCES),
  };
  for (const [kind, sources] of Object.entries(columns)) {
    const own = sources.filter((source) => source !== "managed" && source !== "none");
    expect(own.filter((source) => !all.includes(`${kind} ${source}`))).toEqual([]);
  }
});
