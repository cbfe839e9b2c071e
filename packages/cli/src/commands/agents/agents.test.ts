// keelson agents with fake I/O: what it prints and writes, its exit codes and its errors.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../main.ts";
import { put, removed, scratch, withFakeIO } from "../command-io.test-support.ts";

let root: string;

beforeEach(() => {
  root = scratch("agents-command");
});
afterEach(() => removed(root));

async function keelson(...argv: string[]) {
  const seen = await withFakeIO(root, (io) => main(["agents", ...argv], io), { uid: process.getuid!() });
  return { ...seen, lines: seen.out.replaceAll(root, "").split("\n") };
}

const squeezed = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/ {2,}/g, "  "));

const agent = (path: string, name: string, description: string, more = "") =>
  put(root, path, `---\nname: ${name}\ndescription: ${description}\n${more}---\nDo it.\n`);

test("list shows agents with source, model and tools, and why others are not used", async () => {
  agent("home/.claude/agents/a.md", "reviewer", "Reviews a change", "model: opus\ntools: Read, Bash(git:*)\n");
  agent("project/.claude/agents/b.md", "reviewer", "Not this one");
  agent("project/.claude/agents/c.md", "wide", "Wants more", "permissionMode: bypassPermissions\n");
  put(root, "project/.claude/agents/notes.md", "# Notes");
  put(root, "home/.claude/settings.json", { permissions: { deny: ["Agent(Plan)"] } });
  const { code, lines, err } = await keelson("list");
  expect({ code, err }).toEqual({
    code: 0,
    err: ["warning: 1 problem in agent files; run keelson agents validate"],
  });
  expect(squeezed(lines)).toEqual([
    "name  source  model  tools  description",
    "reviewer  user  opus  Read, Bash  Reviews a change",
    "wide  project  inherit  All tools  Wants more",
    "claude  built in  inherit  All tools  Any task that no other agent fits. Give it the goal and wha…",
    "Explore  built in  haiku  Bash, Glob, Grep, LSP, Read, …  Finds things in a code base, fast and read-only: where some…",
    "general-purpose  built in  inherit  All tools  Works on a task of several steps by itself: research a ques…",
    "statusline-setup  built in  sonnet  Read, Edit  Sets up the user's status line: the statusLine setting and …",
    "Bash  built in  inherit  Bash  Runs shell commands and reports what matters of their outpu…",
    "",
    "Denied by a rule:",
    "  Plan  built in",
    "",
    "Not used:",
    "  .claude/agents/b.md  reviewer is /home/.claude/agents/a.md, which an agent of a folder that is not trusted does not replace",
    "  .claude/agents/notes.md  it has no `name`, so it is not an agent; add one to its frontmatter",
    "",
    "hooks, servers and wider modes have no effect in folders that are not trusted: wide",
    expect.stringMatching(/^7 agents, about \d+ tokens in every conversation$/),
    "",
  ]);
  const json = JSON.parse((await keelson("list", "--json")).out);
  expect(json.agents.find(({ name }: any) => name === "reviewer")).toEqual({
    name: "reviewer",
    description: "Reviews a change",
    source: "user",
    file: join(root, "home/.claude/agents/a.md"),
    tools: ["Read", "Bash(git:*)"],
    disallowedTools: [],
    model: "opus",
    skills: [],
    mcpServers: [],
    hooks: [],
    denied: false,
    tokens: expect.any(Number),
  });
  expect(json.agents.find(({ name }: any) => name === "Plan").denied).toBeTrue();
  expect(json.problems).toHaveLength(3);
});

test("show prints the fields and the text, of built-in agents too", async () => {
  agent(
    "home/.claude/agents/a.md",
    "reviewer",
    "Reviews",
    "maxTurns: 3\nskills: [style]\nmcpServers: [db]\nmemory: user\n",
  );
  const { code, lines } = await keelson("show", "reviewer");
  expect(code).toBe(0);
  expect(lines).toEqual([
    "reviewer",
    "  file: ~/.claude/agents/a.md",
    "  source: user",
    "  description: Reviews",
    "  tools: All tools",
    "  model: inherit",
    "  turns: 3",
    "  skills: style",
    "  MCP servers: db",
    "  memory: user",
    expect.stringMatching(/^ {2}cost: about \d+ tokens in every conversation, about \d+ when it runs$/),
    "",
    "Do it.",
    "",
  ]);
  expect((await keelson("show", "Explore")).out).toContain("You find things in a code base");
  expect(JSON.parse((await keelson("show", "Plan", "--json")).out)).toMatchObject({ name: "Plan", oneShot: true });
  expect(await keelson("show", "reviwer")).toMatchObject({
    code: 1,
    err: ['error: no agent "reviwer"; did you mean "reviewer"?'],
  });
});

test("validate reports each problem with its fix; warnings fail only with --strict", async () => {
  agent("project/.claude/agents/ok.md", "ok", "Fine");
  expect(await keelson("validate")).toMatchObject({ code: 0, out: "1 agent: no problems\n" });
  agent("project/.claude/agents/odd.md", "odd", "x".repeat(1600), "tools:\nallowed-tools: Read\n");
  expect(await keelson("validate", ".claude/agents")).toMatchObject({
    code: 0,
    lines: [
      ".claude/agents/odd.md:5: warning: `allowed-tools` has no effect; write `tools`",
      ".claude/agents/odd.md:1: warning: the description is longer than 1536 characters, so the list cuts it; shorten it",
      ".claude/agents/odd.md:1: warning: `tools` is empty, so it has no tools; name some, or remove the field",
      "2 agents: 0 errors, 3 warnings",
      "",
    ],
  });
  expect((await keelson("validate", "--strict")).code).toBe(1);
  put(root, "project/.claude/agents/bad.md", "---\nname: bad\n---\n");
  const bad = await keelson("validate", ".claude/agents/bad.md", "--json");
  expect([bad.code, JSON.parse(bad.out)]).toMatchObject([1, { files: 0, errors: 1, warnings: 0 }]);
  expect(await keelson("validate", "nowhere")).toMatchObject({
    code: 1,
    err: ['error: no file or folder "nowhere"'],
  });
});

test("new creates an agent that is found, and never overwrites or leaves the folder", async () => {
  const { code, out } = await keelson("new", "helper");
  expect([code, out]).toEqual([
    0,
    'Created .claude/agents/helper.md\nEdit its description and text, then ask for it, or run: keelson -p --agent helper "…"\n',
  ]);
  expect(readFileSync(join(root, "project/.claude/agents/helper.md"), "utf8")).toStartWith("---\nname: helper\n");
  expect(await keelson("validate", "--strict")).toMatchObject({ code: 0, out: "1 agent: no problems\n" });
  expect((await keelson("new", "helper")).err).toEqual([
    "error: .claude/agents/helper.md already exists; choose another name",
  ]);
  expect((await keelson("new", "own", "--user")).code).toBe(0);
  expect((await keelson("new", "../x")).err[0]).toContain('"../x" is not a name for an agent');
  removed(join(root, "project/.claude"));
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), join(root, "project/.claude"));
  expect((await keelson("new", "x")).err[0]).toContain("leads out of this folder");
});
