// Which agents a session finds, which one of a name counts, and what it says about the others.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition, Plugin } from "@keelson/protocol";
import { agentText } from "./agent-text.ts";
import { checkAgentsAt } from "./check-path.ts";
import { agentProblems, agentWorld } from "./world.test-support.ts";

const namesOf = (agents: readonly AgentDefinition[]) => agents.map(({ name, source }) => `${source} ${name}`);

const plugin = (root: string, agents: readonly string[], more: Partial<Plugin> = {}): Plugin => ({
  name: "kit",
  id: "kit@inline",
  root,
  data: `${root}-data`,
  skillFolders: [],
  skills: [],
  commandFolders: [],
  commandFiles: [],
  agents,
  outputStyles: [],
  themes: [],
  lspServers: {},
  from: "inline",
  ...more,
});

test("finds agents of every place, in order of precedence", () => {
  using world = agentWorld();
  world.trust("project", "project/inner");
  world.agent("managed/.claude/agents/a.md", "policy");
  world.agent("home/.claude/agents/b.md", "mine");
  world.agent("project/.claude/agents/c.md", "ours");
  world.agent("project/.claude/agents/review/deep/d.md", "deep");
  world.agent("project/inner/.claude/agents/e.md", "near");
  world.agent("kit/agents/f.md", "helper");
  world.agent("kit/agents/review/g.md", "strict");
  const set = world.agents({
    cwd: "project/inner",
    flags: { agents: { flagged: { description: "From the command line", prompt: "Be quick" } } },
    client: () => ({ given: { description: "From the client", prompt: "Be kind" } }),
    plugins: [plugin(join(world.root, "kit"), [join(world.root, "kit/agents")])],
  });
  expect(namesOf(set.list())).toEqual([
    "managed policy",
    "flag given",
    "flag flagged",
    "project near",
    "project ours",
    "project deep",
    "user mine",
    "plugin kit:helper",
    "plugin kit:review:strict",
  ]);
  expect(set.problems).toEqual([]);
  expect(set.find("deep")?.file).toBe(join(world.cwd, ".claude/agents/review/deep/d.md"));
  expect(set.find("nobody")).toBeUndefined();
});

test("of two agents with one name, the one with precedence counts, and the other is reported", () => {
  using world = agentWorld();
  world.trust("project", "project/inner");
  world.agent("managed/.claude/agents/x.md", "x", "Managed");
  world.agent("home/.claude/agents/x.md", "x", "User");
  world.agent("home/.claude/agents/y.md", "y", "User");
  world.agent("project/.claude/agents/y.md", "y", "Project");
  world.agent("project/inner/.claude/agents/other-file.md", "y", "Nearest");
  world.agent("project/inner/.claude/agents/twice.md", "y", "Same folder");
  world.agent("home/.claude/agents/z.md", "z", "User");
  const set = world.agents({
    cwd: "project/inner",
    flags: { agents: { z: { description: "Flag", prompt: "" }, x: { description: "Flag", prompt: "" } } },
  });
  expect(set.list().map(({ name, description }) => [name, description])).toEqual([
    ["x", "Managed"],
    ["z", "Flag"],
    ["y", "Nearest"],
  ]);
  expect(agentProblems(world, set.problems)).toEqual([
    "shadowed --agents: x x is managed/.claude/agents/x.md; rename one of them",
    "shadowed project/inner/.claude/agents/twice.md y is project/inner/.claude/agents/other-file.md; rename one of them",
    "shadowed project/.claude/agents/y.md y is project/inner/.claude/agents/other-file.md; rename one of them",
    "shadowed home/.claude/agents/x.md x is managed/.claude/agents/x.md; rename one of them",
    "shadowed home/.claude/agents/y.md y is project/inner/.claude/agents/other-file.md; rename one of them",
    "shadowed home/.claude/agents/z.md z is --agents: z; rename one of them",
  ]);
});

test("reads every field", async () => {
  using world = agentWorld();
  world.trust("project");
  const file = world.put(
    "project/.claude/agents/any-file.md",
    `---
name: Code Reviewer
description: >
  Reads diffs. Use when: a change is
  ready
tools: Read, Bash(git:*), Task
disallowedTools: [Write, mcp__db]
model: opus
permissionMode: acceptEdits
maxTurns: 12
effort: high
color: "#ff0000"
background: yes
isolation: worktree
skills:
  - style guide
  - tests
mcpServers:
  - slack
  - browser:
      command: npx
      args: [-y, browser]
hooks:
  Stop:
    - hooks:
        - type: command
          command: ./done.sh
memory: project
initialPrompt: |
  Look at the diff.
  Then wait.
subagent_type: reviewer
omitClaudeMd: true
---
# Review

Be strict.
`,
  );
  const { problems, ...set } = world.agents();
  const [agent] = set.list();
  expect(problems).toEqual([]);
  expect(agent).toEqual({
    name: "Code Reviewer",
    description: "Reads diffs. Use when: a change is ready",
    source: "project",
    file,
    tools: ["Read", "Bash(git:*)", "Task"],
    disallowedTools: ["Write", "mcp__db"],
    model: "opus",
    permissionMode: "acceptEdits",
    maxTurns: 12,
    effort: "high",
    color: "#ff0000",
    background: true,
    isolation: "worktree",
    skills: ["style guide", "tests"],
    mcpServers: ["slack", { name: "browser", config: { command: "npx", args: ["-y", "browser"] } }],
    hooks: [
      {
        event: "Stop",
        handler: { type: "command", command: "./done.sh" },
        source: "agent",
        file,
        root: join(world.cwd, ".claude/agents"),
      },
    ],
    memory: "project",
    initialPrompt: "Look at the diff.\nThen wait.",
  });
  expect(await agentText(agent!)).toBe("# Review\n\nBe strict.\n");
});

test("line breaks that a description spells out are blanks, as real ones are", () => {
  using world = agentWorld();
  world.put(
    "project/.claude/agents/generated.md",
    String.raw`---
name: generated
description: Use this agent when: it rains.\n\n<example>\nuser: "It rains"\n</example>
---
Take an umbrella.
`,
  );
  const descriptions = world
    .agents()
    .list()
    .map(({ description }) => description);
  expect(descriptions).toEqual(['Use this agent when: it rains. <example> user: "It rains" </example>']);
});

test("reads the same fields from JSON, and those that only a client may set", async () => {
  using world = agentWorld();
  const set = world.agents({
    client: () => ({
      helper: {
        description: "Helps\nwell",
        prompt: "Help.",
        tools: ["Read", "Bash(git add *)"],
        disallowedTools: [],
        model: "inherit",
        mcpServers: ["slack", { own: { type: "stdio", command: "x", env: { N: "1" } } }],
        skills: ["a"],
        initialPrompt: "Begin",
        maxTurns: 3,
        background: false,
        omitClaudeMd: true,
        memory: "user",
        effort: 3,
        permissionMode: "bypassPermissions",
        observer: "other",
        observerMessage: "…",
        autoCompactWindow: 100_000,
        criticalSystemReminder_EXPERIMENTAL: "Never push",
        color: null,
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "check" }] }] },
      },
    }),
  });
  expect(set.list()).toEqual([
    {
      name: "helper",
      description: "Helps well",
      source: "flag",
      prompt: "Help.",
      tools: ["Read", "Bash(git add *)"],
      disallowedTools: [],
      model: "inherit",
      mcpServers: ["slack", { name: "own", config: { type: "stdio", command: "x", env: { N: "1" } } }],
      skills: ["a"],
      initialPrompt: "Begin",
      maxTurns: 3,
      background: false,
      omitsInstructions: true,
      memory: "user",
      permissionMode: "bypassPermissions",
      autoCompactWindow: 100_000,
      criticalReminder: "Never push",
      hooks: [
        { event: "PreToolUse", matcher: "Bash", handler: { type: "command", command: "check" }, source: "agent" },
      ],
    },
  ]);
  expect(agentProblems(world, set.problems)).toEqual([
    "odd initialize: helper `effort` should be low, medium, high, xhigh or max; it has no effect",
  ]);
  expect(await agentText(set.find("helper")!)).toBe("Help.");
});

test("what is not an agent in JSON is reported, and takes nothing else with it", () => {
  using world = agentWorld();
  const agents = { a: "text", b: { description: "No prompt" }, c: { prompt: "No description" }, d: null, e: [] };
  const good = { description: "Good", prompt: "Be good" };
  const set = world.agents({ flags: { agents: { ...agents, good, "bad\u202ename": good } } });
  expect(namesOf(set.list())).toEqual(["flag good", "flag badname"]);
  expect(agentProblems(world, set.problems)).toEqual([
    "unused --agents: a it is not an object",
    "unused --agents: b it has no `prompt`; add one",
    "unused --agents: d it is not an object",
    "unused --agents: e it is not an object",
    "unused --agents: c it has no `description`; add one",
  ]);
});

test.each([
  ["a comma string", "Read, Bash(git log:*), Grep", ["Read", "Bash(git log:*)", "Grep"]],
  ["spaces", "Read Bash(npm run *) Grep", ["Read", "Bash(npm run *)", "Grep"]],
  ["one word", "Read", ["Read"]],
  ["a list", "\n  - Read\n  - mcp__db__query", ["Read", "mcp__db__query"]],
  ["brackets", `["Read", "Grep"]`, ["Read", "Grep"]],
  ["brackets without quotes", "[Read, Grep]", ["Read", "Grep"]],
  ["a list in quotes", `'["Read", "Grep"]'`, ["Read", "Grep"]],
  ["a star", `"*"`, ["*"]],
  ["a star without quotes", "*", ["*"]],
  ["agents it may start", "Agent(worker, researcher), Read", ["Agent(worker, researcher)", "Read"]],
  ["nothing", "", []],
  ["null", "null", []],
])("tools as %s", (_, written, tools) => {
  using world = agentWorld();
  world.agent("home/.claude/agents/x.md", "x", "X", `tools: ${written}\n`);
  expect(world.agents().list()[0]!.tools).toEqual(tools);
});

test("permissionMode: bubble is what every agent may do", () => {
  using world = agentWorld();
  world.agent("home/.claude/agents/x.md", "x", "X", "permissionMode: bubble\n");
  const set = world.agents();
  expect(set.problems).toEqual([]);
  expect(set.list()[0]).not.toHaveProperty("permissionMode");
});

test("a field with a typing error is reported, and fields of other programs are not", () => {
  using world = agentWorld();
  const fields = "toolz: Read\ndisalowedTools: Bash\nmodle: haiku\nmode: subagent\nversion: 1\nauthor: me\ntags: a\n";
  world.agent("home/.claude/agents/x.md", "x", "X", fields);
  const at = "odd home/.claude/agents/x.md";
  expect(agentProblems(world, world.agents().problems)).toEqual([
    `${at}:4 \`toolz\` has no effect; write \`tools\``,
    `${at}:5 \`disalowedTools\` has no effect; write \`disallowedTools\``,
    `${at}:6 \`modle\` has no effect; write \`model\``,
  ]);
});

test("a field with a wrong value has no effect and is reported with its line", () => {
  using world = agentWorld();
  world.agent(
    "home/.claude/agents/x.md",
    "x",
    "X",
    `permissionMode: everything
maxTurns: 0
background: perhaps
isolation: container
memory: team
effort: extreme
allowed-tools: Read
max_turns: 3
mcpServers:
  - broken: 1
model:
`,
  );
  const set = world.agents();
  expect(set.list()).toEqual([
    {
      name: "x",
      description: "X",
      source: "user",
      file: join(world.root, "home/.claude/agents/x.md"),
      disallowedTools: [],
      skills: [],
      mcpServers: [],
      hooks: [],
    },
  ]);
  const at = "odd home/.claude/agents/x.md";
  expect(agentProblems(world, set.problems)).toEqual([
    `${at}:10 \`allowed-tools\` has no effect; write \`tools\``,
    `${at}:11 \`max_turns\` has no effect; write \`maxTurns\``,
    `${at}:12 \`mcpServers\` needs an object for "broken"; it has no effect`,
    `${at}:9 \`effort\` should be low, medium, high, xhigh or max; it has no effect`,
    `${at}:4 \`permissionMode\` should be acceptEdits, auto, bypassPermissions, default, dontAsk or plan; it has no effect`,
    `${at}:5 \`maxTurns\` should be a number above zero; it has no effect`,
    `${at}:6 \`background\` should be true or false; it has no effect`,
    `${at}:7 \`isolation\` should be worktree; it has no effect`,
    `${at}:8 \`memory\` should be user, project or local; it has no effect`,
  ]);
});

test.each([
  ["maxBudgetUsd: five", { maxBudgetUsd: 0 }],
  ["maxBudgetUsd: $5", { maxBudgetUsd: 0 }],
  ["maxBudgetUsd: 0", { maxBudgetUsd: 0 }],
  ["maxBudgetUsd: -1", { maxBudgetUsd: 0 }],
  ["maxBudgetUsd: 1e999", { maxBudgetUsd: 0 }],
  ["maxBudgetUsd: {usd: 5}", { maxBudgetUsd: 0 }],
  ["maxBudgetUsd: []", { maxBudgetUsd: 0 }],
  ["disallowedTools: {Bash: true}", { disallowedTools: ["*"] }],
  ["disallowedTools: [Write, {Bash: true}]", { disallowedTools: ["Write", "*"] }],
])("a limit that cannot be read lets nothing through, and is reported: %s", (field, expected) => {
  using world = agentWorld();
  world.agent("home/.claude/agents/x.md", "x", "X", `${field}\n`);
  const set = world.agents();
  expect(set.list()[0]).toMatchObject(expected);
  const said = agentProblems(world, set.problems);
  expect(said).toEqual([expect.stringMatching(/^odd home\/\.claude\/agents\/x\.md:4 `\w+` should be /)]);
});

test("an empty limit is none", () => {
  using world = agentWorld();
  world.agent("home/.claude/agents/x.md", "x", "X", "maxBudgetUsd:\ndisallowedTools:\n");
  const set = world.agents();
  expect([set.list()[0]!.maxBudgetUsd, set.list()[0]!.disallowedTools, set.problems]).toEqual([undefined, [], []]);
});

test("a file without frontmatter, name or description is not an agent; a README is not worth a word", () => {
  using world = agentWorld();
  world.put("home/.claude/agents/README.md", "# About these agents");
  world.put("home/.claude/agents/notes.md", "# Notes");
  world.put("home/.claude/agents/open.md", "---\nname: open\ndescription: x\n");
  world.put("home/.claude/agents/nameless.md", "---\ndescription: x\n---\n");
  world.put("home/.claude/agents/empty.md", "---\nname: empty\ndescription:\n---\n");
  world.put("home/.claude/agents/binary.md", "-\0-\0-\0\n\0");
  world.put("home/.claude/agents/other.txt", "---\nname: text\ndescription: x\n---\n");
  const set = world.agents();
  expect(set.list()).toEqual([]);
  const at = "unused home/.claude/agents";
  expect(agentProblems(world, set.problems)).toEqual([
    `${at}/binary.md it is not text; save it as UTF-8`,
    `${at}/empty.md it has no \`description\`, so it is not an agent; add one to its frontmatter`,
    `${at}/nameless.md it has no \`name\`, so it is not an agent; add one to its frontmatter`,
    `${at}/notes.md it has no \`name\`, so it is not an agent; add one to its frontmatter`,
    `${at}/open.md the frontmatter has no closing ---, so all of it is text; add a line with ---`,
  ]);
});

test("an untrusted folder's agents are listed and marked; what would run or widen is taken away", () => {
  using world = agentWorld();
  const more = `permissionMode: bypassPermissions
memory: user
mcpServers:
  - slack
  - own:
      command: evil
hooks:
  Stop:
    - hooks:
        - type: command
          command: evil
`;
  world.agent("project/.claude/agents/a.md", "wide", "Wide", more);
  world.agent("project/.claude/agents/b.md", "narrow", "Narrow", "permissionMode: plan\nmemory: project\n");
  world.agent("project/.claude/agents/c.md", "mine", "Not mine");
  world.agent("home/.claude/agents/c.md", "mine", "Mine");
  const set = world.agents();
  const facts = set.list().map(({ name, description, untrusted, permissionMode, memory, mcpServers, hooks }) => ({
    ...{ name, description, untrusted, permissionMode, memory, mcpServers, hooks },
  }));
  const nothing = { permissionMode: undefined, memory: undefined, mcpServers: [], hooks: [] };
  expect(facts).toEqual([
    { name: "mine", description: "Mine", untrusted: undefined, ...nothing },
    { name: "wide", description: "Wide", untrusted: true, ...nothing, mcpServers: ["slack"] },
    { name: "narrow", description: "Narrow", untrusted: true, ...nothing, permissionMode: "plan" },
  ]);
  const why = "has no effect because this folder is not trusted";
  const at = "project/.claude/agents";
  expect(agentProblems(world, set.problems)).toEqual([
    `odd ${at}/a.md:10 \`hooks\` ${why}`,
    `odd ${at}/a.md:6 \`mcpServers\` ${why}`,
    `odd ${at}/a.md:4 \`permissionMode\` ${why}`,
    `odd ${at}/a.md:5 \`memory\` ${why}`,
    `odd ${at}/b.md:5 \`memory\` ${why}`,
    `shadowed ${at}/c.md mine is home/.claude/agents/c.md, which an agent of a folder that is not trusted does not replace`,
  ]);
});

test("an agent of a plugin has no hooks or servers, its mode only narrows, and its text names its folder", async () => {
  using world = agentWorld();
  const more =
    "permissionMode: acceptEdits\nmcpServers: slack\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x}\n";
  const root = join(world.root, "kit");
  const file = world.put(
    "kit/agents/a.md",
    `---\nname: a\ndescription: A\n${more}---\nUse \${CLAUDE_PLUGIN_ROOT}/x and \${CLAUDE_PLUGIN_DATA}, not \${HOME}`,
  );
  const single = world.agent("kit/extra/b.md", "b");
  const set = world.agents({ plugins: [plugin(root, [join(root, "agents"), single])] });
  expect(set.list()).toEqual([
    {
      name: "kit:a",
      description: "A",
      source: "plugin",
      file,
      disallowedTools: [],
      skills: [],
      mcpServers: [],
      hooks: [],
      permissionMode: "acceptEdits",
      plugin: { name: "kit", id: "kit@inline", root, data: `${root}-data` },
    },
    expect.objectContaining({ name: "kit:b", file: single }),
  ]);
  expect(agentProblems(world, set.problems).map((line) => line.replace(/^.*?`/, "`"))).toEqual([
    "`hooks` has no effect in an agent of a plugin",
    "`mcpServers` has no effect in an agent of a plugin",
    "`permissionMode` does not widen the mode in an agent of a plugin",
  ]);
  expect(await agentText(set.find("kit:a")!)).toBe(`Use ${root}/x and ${root}-data, not \${HOME}`);
});

test("an agent of a plugin needs no name, description or frontmatter; a README is none", async () => {
  using world = agentWorld();
  world.put("kit/agents/plain.md", "You are plain.");
  world.put("kit/agents/deep/told.md", "---\ndescription: Told\ntools: Read\n---\nx");
  world.put("kit/agents/file.md", "---\nname: own\n---\nx");
  world.put("kit/agents/README.md", "# Agents of the kit");
  world.put("kit/agents/readme/README.md", "---\ndescription: Reads\n---\nx");
  const root = join(world.root, "kit");
  const set = world.agents({ plugins: [plugin(root, [join(root, "agents")])] });
  expect(set.list().map(({ name, description }) => [name, description])).toEqual([
    ["kit:deep:told", "Told"],
    ["kit:own", "Agent from kit plugin"],
    ["kit:plain", "Agent from kit plugin"],
    ["kit:readme:README", "Reads"],
  ]);
  expect(set.find("kit:deep:told")?.tools).toEqual(["Read"]);
  expect(await agentText(set.find("kit:plain")!)).toBe("You are plain.");
  expect(set.problems.map(({ file, kind }) => [file, kind])).toEqual(
    ["file.md", "plain.md"].map((name) => [join(root, "agents", name), "odd"]),
  );
});

test("a name in brackets, as templates have it, is no name", () => {
  using world = agentWorld();
  world.put("project/.claude/agents/template.md", "---\nname: [agent-name]\ndescription: [what it does]\n---\nx");
  const set = world.agents();
  expect(set.list()).toEqual([]);
  expect(agentProblems(world, set.problems)).toEqual([
    "unused project/.claude/agents/template.md it has no `name`, so it is not an agent; add one to its frontmatter",
  ]);
});

test.each<[string, object, readonly string[], string]>([
  ["--setting-sources user", { settingSources: ["user"] }, ["user mine"], "--setting-sources does not include project"],
  [
    "--setting-sources project",
    { settingSources: ["project"] },
    ["project ours"],
    "--setting-sources does not include user",
  ],
  ["--bare", { bare: true, agents: { f: { description: "F", prompt: "" } } }, ["flag f"], "--bare skips it"],
  ["--safe-mode", { safe: true, agents: { f: { description: "F", prompt: "" } } }, [], "--safe-mode skips it"],
  ["--require-trust", { requireTrust: true }, ["user mine"], "trust is required and this folder is not trusted"],
])("%s leaves out the others, and says so", (_, flags, names, why) => {
  using world = agentWorld();
  world.agent("home/.claude/agents/a.md", "mine");
  world.agent("project/.claude/agents/b.md", "ours");
  const set = world.agents({ flags });
  expect(namesOf(set.list())).toEqual([...names]);
  expect(set.problems.every(({ kind }) => kind === "off")).toBeTrue();
  expect(agentProblems(world, set.problems).join("\n")).toContain(why);
});

test("strictPluginOnlyCustomization leaves managed agents and those of plugins", () => {
  using world = agentWorld();
  world.put("managed/managed-settings.json", { strictPluginOnlyCustomization: ["agents"] });
  world.agent("managed/.claude/agents/a.md", "policy");
  world.agent("home/.claude/agents/a.md", "mine");
  world.agent("project/.claude/agents/b.md", "ours");
  world.agent("kit/agents/c.md", "c");
  const set = world.agents({
    plugins: [plugin(join(world.root, "kit"), [join(world.root, "kit/agents")])],
    client: () => ({ x: { description: "X", prompt: "" } }),
  });
  expect(namesOf(set.list())).toEqual(["managed policy", "plugin kit:c"]);
  expect(set.problems.map(({ kind }) => kind)).toEqual(["off", "off", "off"]);
});

test.each<[string, object, object, string]>([
  ["disableAllHooks", { disableAllHooks: true }, {}, "hooks"],
  ["allowManagedHooksOnly", { allowManagedHooksOnly: true }, {}, "hooks"],
  ["strictPluginOnlyCustomization", { strictPluginOnlyCustomization: ["hooks"] }, {}, "hooks"],
  ["strictPluginOnlyCustomization", { strictPluginOnlyCustomization: ["mcp"] }, {}, "mcpServers"],
  ["--strict-mcp-config", {}, { strictMcpConfig: true }, "mcpServers"],
])("%s takes hooks or servers away, but not from managed agents", (reason, policy, flags, key) => {
  using world = agentWorld();
  world.put("managed/managed-settings.json", policy);
  const more =
    "mcpServers: [{own: {command: x}}, named]\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x}\n";
  world.agent("managed/.claude/agents/a.md", "above", "A", more);
  world.agent("home/.claude/agents/b.md", "mine", "B", more);
  const set = world.agents({ flags });
  const [above, mine] = set.list();
  expect([above!.hooks.length, above!.mcpServers.length]).toEqual([1, 2]);
  expect([mine!.hooks.length, mine!.mcpServers.length]).toEqual(key === "hooks" ? [0, 2] : [1, 1]);
  const [problem, ...others] = set.problems;
  expect(others).toEqual([]);
  expect(problem!.why).toMatch(new RegExp(`^\`${key}\` has no effect .*${reason}`));
});

test("links that lead outside are not read; denied targets neither", () => {
  using world = agentWorld();
  world.trust("project");
  const secret = world.agent("secret/a.md", "secret");
  mkdirSync(join(world.cwd, ".claude/agents"), { recursive: true });
  symlinkSync(secret, join(world.cwd, ".claude/agents/file.md"));
  symlinkSync(join(world.root, "secret"), join(world.cwd, ".claude/agents/folder"));
  const inside = world.agent("project/docs/b.md", "inside");
  symlinkSync(inside, join(world.cwd, ".claude/agents/inside.md"));
  mkdirSync(join(world.root, "home/.claude/agents"), { recursive: true });
  symlinkSync(secret, join(world.root, "home/.claude/agents/own.md"));
  const set = world.agents();
  expect(set.list().map(({ name, file }) => [name, file])).toEqual([
    ["inside", inside],
    ["secret", secret],
  ]);
  expect(agentProblems(world, set.problems)).toEqual([
    "unused project/.claude/agents/file.md it links to secret/a.md, outside project; move the files into it",
    "unused project/.claude/agents/folder it links to secret, outside project; move the files into it",
  ]);
  const denied = world.agents({ isDenied: (path) => path === secret });
  expect(namesOf(denied.list())).toEqual(["project inside"]);
});

test("agentText() refuses a file that was replaced by a link, removed or is too large", async () => {
  using world = agentWorld();
  const file = world.agent("home/.claude/agents/x.md", "x");
  const agent = world.agents().find("x")!;
  writeFileSync(file, "---\nname: x\ndescription: x\n---\nNew text");
  expect(await agentText(agent)).toBe("New text");
  rmSync(file);
  await expect(agentText(agent)).rejects.toThrow(`The file of agent x cannot be used: ${file} no longer exists`);
  symlinkSync(world.put("elsewhere.md", "secret"), file);
  await expect(agentText(agent)).rejects.toThrow("is now a link");
  rmSync(file);
  writeFileSync(file, "x".repeat(1024 * 1024 + 1));
  await expect(agentText(agent)).rejects.toThrow("is larger than 1 MiB");
});

test("notices files that appear, change or go", () => {
  using world = agentWorld();
  const none = world.agents();
  expect(none.areChanged()).toBeFalse();
  const file = world.agent("project/.claude/agents/x.md", "x");
  expect(none.areChanged()).toBeTrue();
  const one = none.reload();
  expect([namesOf(one.list()), one.areChanged()]).toEqual([["project x"], false]);
  world.agent("project/.claude/agents/x.md", "renamed");
  utimesSync(file, 1, 1);
  expect(one.areChanged()).toBeTrue();
  const two = one.reload();
  expect([namesOf(two.list()), two.areChanged()]).toEqual([["project renamed"], false]);
  world.agent("home/.claude/agents/y.md", "y");
  expect(two.areChanged()).toBeTrue();
  rmSync(file);
  expect(namesOf(two.reload().list())).toEqual(["user y"]);
});

test("checkAgentsAt() reads a file, a folder of agents or a project", () => {
  using world = agentWorld();
  const file = world.agent("project/.claude/agents/x.md", "x");
  world.put("project/.claude/agents/bad.md", "---\nname: bad\n---\n");
  const found = (path: string) => checkAgentsAt(path)?.agents.map(({ name }) => name);
  expect(found(file)).toEqual(["x"]);
  expect(found(join(world.cwd, ".claude/agents"))).toEqual(["x"]);
  expect(found(world.cwd)).toEqual(["x"]);
  expect(found(join(world.root, "nowhere"))).toBeUndefined();
  expect(checkAgentsAt(world.cwd)?.problems).toHaveLength(1);
});
