// The rules of subagents: what they share with the agent that started them, and what is theirs alone.

import { expect, test } from "bun:test";
import { parseRule, type PermitRequest, type Rule } from "@keelson/engine";
import { agentMode } from "@keelson/engine/agents";
import { createWorkspace } from "@keelson/host";
import { NOTHING_SAID, type PermissionMode, type PermissionUpdate, type RuleBehavior } from "@keelson/protocol";
import { Gate } from "../../gate/gate.ts";
import { RuleBook } from "../../gate/rule-book.ts";
import { childGate } from "./ports.ts";

const HOME = "/nowhere/home";
const PROJECT = "/nowhere/project";
const nothing = () => undefined;

function sessionGate(mode: PermissionMode = "default"): Gate {
  const workspace = createWorkspace(PROJECT);
  return new Gate({
    ruleBook: new RuleBook({
      mode,
      rules: [],
      home: HOME,
      workspace,
      mayApply: () => true,
      refusal: nothing,
      modeChanged: nothing,
      warn: nothing,
    }),
    home: HOME,
    configDir: `${HOME}/.claude`,
    readable: [],
    memory: nothing,
    plan: nothing,
    governing: () => [],
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    addDirectories: nothing,
    removeDirectories: nothing,
    sandbox: { active: false, autoAllow: false, allowUnsandboxed: true, excluded: [] },
    shell: "bash",
    git: { root: PROJECT, home: HOME, isTrusted: () => true, directories: () => [PROJECT], env: () => ({}) },
    isShielded: async () => false,
    managedOnly: () => false,
    save: async () => [],
  });
}

interface Definition {
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: PermissionMode;
}

function below(
  parentGate: Gate,
  { disallowedTools = [], permissionMode }: Definition = {},
  { worktree }: { worktree?: string } = {},
): Gate {
  return childGate(
    {
      id: "a0123456789abcdef",
      workspace: createWorkspace(worktree ?? PROJECT),
      ...(worktree ? { copyOf: [PROJECT] } : {}),
      mode: () => agentMode(parentGate.mode, permissionMode, { mayWiden: false }),
      neverAsks: () => parentGate.neverAsks || permissionMode === "dontAsk",
      definition: { name: "worker", disallowedTools },
      parentGate,
    },
    { home: HOME, warn: nothing },
  );
}

async function judge(gate: Gate, command: string, cwd = PROJECT): Promise<string> {
  const input = { command };
  const request: PermitRequest = {
    call: { type: "tool_use", id: "call", name: "Bash", input },
    tool: { name: "Bash" } as PermitRequest["tool"],
    input,
    access: { kind: "command", command, cwd },
    hook: NOTHING_SAID,
  };
  return (await gate.decide(request)).behavior;
}

const verdicts = (gates: readonly Gate[], command: string) => Promise.all(gates.map((gate) => judge(gate, command)));

const rule = (behavior: RuleBehavior, text: string, source: Rule["source"] = "command"): Rule => ({
  behavior,
  ...parseRule(text)!,
  source,
  base: PROJECT,
  text,
});
const answer = (behavior: RuleBehavior, ruleContent: string): PermissionUpdate => ({
  type: "addRules",
  behavior,
  destination: "session",
  rules: [{ toolName: "Bash", ruleContent }],
});

test("parts of tools that a definition takes away are denied to the agent and to its agents, and to no one else", async () => {
  const session = sessionGate("bypassPermissions");
  const child = below(session, { disallowedTools: ["Bash(rm *)", "Edit", "Bash(unclosed"] });
  const gates = [session, child, below(child), below(session)];
  expect(await verdicts(gates, "rm a")).toEqual(["allow", "deny", "deny", "allow"]);
  expect(await verdicts(gates, "true; rm a")).toEqual(["allow", "deny", "deny", "allow"]);
  expect(await verdicts(gates, "make")).toEqual(["allow", "allow", "allow", "allow"]);
});

test("what a skill allows in an agent holds for it and its agents, until it is taken back", async () => {
  const session = sessionGate();
  const child = below(session);
  const gates = [session, child, below(child), below(session)];
  child.ruleBook.grant([rule("allow", "Bash(make *)")]);
  expect(await verdicts(gates, "make all")).toEqual(["ask", "allow", "allow", "ask"]);
  child.ruleBook.endGrants();
  expect(await verdicts(gates, "make all")).toEqual(["ask", "ask", "ask", "ask"]);
});

test("what a skill allows the session holds for its agents as long as it does for the session", async () => {
  const session = sessionGate();
  const child = below(session);
  session.ruleBook.grant([rule("allow", "Bash(make *)")]);
  expect(await verdicts([session, child], "make all")).toEqual(["allow", "allow"]);
  child.ruleBook.endGrants();
  expect(await verdicts([session, child], "make all")).toEqual(["allow", "allow"]);
  session.ruleBook.endGrants();
  expect(await verdicts([session, child], "make all")).toEqual(["ask", "ask"]);
});

test("an answer to a question of an agent changes the rules of all, also when it is the first question", async () => {
  const session = sessionGate();
  const child = below(session);
  const grandchild = below(child);
  expect(await judge(grandchild, "make all")).toBe("ask");
  grandchild.accept([answer("allow", "make *")]);
  expect(await verdicts([session, child, grandchild], "make all")).toEqual(["allow", "allow", "allow"]);
  session.accept([answer("deny", "make *")]);
  expect(await verdicts([session, child, grandchild], "make all")).toEqual(["deny", "deny", "deny"]);
});

test("the mode of the session holds for running agents, and the stricter mode of an agent stays", async () => {
  const session = sessionGate();
  const plain = below(session);
  const wide = below(session, { permissionMode: "bypassPermissions" });
  const strict = below(session, { permissionMode: "dontAsk" });
  const under = below(strict, { permissionMode: "acceptEdits" });
  const gates = [session, plain, wide, strict, under];
  expect(await verdicts(gates, "mkdir a")).toEqual(["ask", "ask", "ask", "deny", "deny"]);
  session.ruleBook.setMode("acceptEdits");
  expect(gates.map(({ mode }) => mode)).toEqual(["acceptEdits", "acceptEdits", "acceptEdits", "dontAsk", "dontAsk"]);
  expect(await verdicts(gates, "mkdir a")).toEqual(["allow", "allow", "allow", "deny", "deny"]);
  session.ruleBook.setMode("dontAsk");
  expect(await verdicts(gates, "mkdir a")).toEqual(gates.map(() => "deny"));
});

test("below an agent that does not ask, nothing is asked in plan mode either, and the other way round", async () => {
  const session = sessionGate();
  const [silent, planner] = [below(session, { permissionMode: "dontAsk" }), below(session, { permissionMode: "plan" })];
  const gates = [below(silent, { permissionMode: "plan" }), below(planner, { permissionMode: "dontAsk" })];
  expect(gates.map(({ mode }) => mode)).toEqual(["plan", "plan"]);
  expect(await verdicts([planner, ...gates], "mkdir a")).toEqual(["ask", "deny", "deny"]);
  session.ruleBook.setMode("dontAsk");
  expect(await verdicts([planner, ...gates], "mkdir a")).toEqual(["deny", "deny", "deny"]);
});

test("what is denied in the project is denied in the copy of an agent, and in the project still", async () => {
  const session = sessionGate("bypassPermissions");
  session.ruleBook.replaceRules([
    rule("deny", "Read(/secrets/**)", "projectSettings"),
    rule("deny", `Read(/${PROJECT}/keys/**)`, "userSettings"),
  ]);
  const worktree = `${PROJECT}/.claude/worktrees/agent-1`;
  const child = below(session, {}, { worktree });
  for (const gate of [child, below(child, {}, { worktree })]) {
    expect(await judge(gate, "cat secrets/a", worktree)).toBe("deny");
    expect(await judge(gate, "cat keys/a", worktree)).toBe("deny");
    expect(await judge(gate, `cat ${PROJECT}/secrets/a`, worktree)).toBe("deny");
    expect(await judge(gate, "cat src/a", worktree)).toBe("allow");
  }
});
