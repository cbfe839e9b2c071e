// The permission and attack tables, judged by the gate of a subagent: for every call and in every mode the decision is
// the one that the session's own agent gets, with the same words.

import { afterAll, expect, test } from "bun:test";
import { parseRule, type PermitRequest, type Rule } from "@keelson/engine";
import { createWorkspace } from "@keelson/host";
import { NOTHING_SAID, PERMISSION_MODES, type PermissionMode, type RuleBehavior } from "@keelson/protocol";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TableSetup } from "../../../packages/engine/src/permission/verdicts/judge.test-support.ts";
import { childGate } from "../../../packages/runtime/src/agents/child/ports.ts";
import { Gate } from "../../../packages/runtime/src/gate/gate.ts";
import { RuleBook } from "../../../packages/runtime/src/gate/rule-book.ts";
import { ATTACKS, lay, newGround, placed, TABLES, type Ground, type Table } from "./tables.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "keelson-tables-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** With nothing on it. */
const plain = newGround(join(root, "plain"));

const GENERAL = { name: "general-purpose", disallowedTools: [] };

/** The session's own agent, a subagent, and the subagent of that one. */
function gatesIn(setup: TableSetup, ground: Ground, mode: PermissionMode): readonly Gate[] {
  const { project, home } = ground;
  const warn = () => undefined;
  const workspace = createWorkspace(project, () => placed(setup.directories?.slice(1) ?? [], ground));
  const cwd = placed(setup.cwd ?? "/repo", ground);
  const rules = (["allow", "ask", "deny"] as const).flatMap((behavior) =>
    rulesOf(behavior, placed(setup[behavior] ?? [], ground), project),
  );
  const main = new Gate({
    ruleBook: new RuleBook({
      mode,
      rules,
      home,
      workspace,
      mayApply: () => true,
      refusal: () => undefined,
      modeChanged: warn,
      warn,
    }),
    home,
    configDir: `${home}/.claude`,
    readable: [],
    memory: () => undefined,
    plan: () => undefined,
    governing: () => placed(setup.governing ?? [], ground),
    cwd: () => cwd,
    directories: () => workspace.directories,
    addDirectories: warn,
    removeDirectories: warn,
    sandbox: { active: false, autoAllow: false, allowUnsandboxed: true, excluded: [] },
    shell: setup.shell ?? "bash",
    git: { root: project, home, isTrusted: () => true, directories: () => workspace.directories, env: () => ({}) },
    isShielded: async () => false,
    managedOnly: () => false,
    save: async () => [],
  });
  const below = (parentGate: Gate) => {
    const own = createWorkspace(project, () => workspace.directories.slice(1));
    if (cwd !== project) own.move(cwd);
    return childGate(
      {
        id: "a0123456789abcdef",
        workspace: own,
        mode: () => parentGate.mode,
        neverAsks: () => parentGate.neverAsks,
        definition: GENERAL,
        parentGate,
      },
      { home, warn },
    );
  };
  const child = below(main);
  return [main, child, below(child)];
}

function rulesOf(behavior: RuleBehavior, texts: readonly string[], base: string): Rule[] {
  return texts.map((text) => ({ behavior, ...parseRule(text)!, source: "userSettings", base, text }));
}

function requestsOf({ calls }: Table, ground: Ground): PermitRequest[] {
  return placed(calls.filter(isQuick), ground).map(({ tool: name, access }) => {
    const input = access.kind === "command" ? { command: access.command } : {};
    const call = { type: "tool_use" as const, id: "call", name, input };
    return { call, tool: { name } as PermitRequest["tool"], input, access, hook: NOTHING_SAID };
  });
}

/** To judge it, the gate would look at the whole disk. */
const isQuick = ({ access }: Table["calls"][number]) =>
  access.kind !== "command" || !access.command.startsWith("find / ");

/** Their verdict in the table depends on what is not on this disk. */
const UNKNOWN_DISK = new Set(["unseen", "copied unseen", "git-looks"]);
const isWhole = ({ kind, setup: { files, links, git, directories, governing } }: Table) =>
  !UNKNOWN_DISK.has(kind) && !files && !links && !git && !directories && !governing;

/** Calls whose decision differs between agents, or is not that of the table. */
async function compare(tables: readonly Table[], modes: (table: Table) => readonly PermissionMode[]) {
  const [different, wrong]: unknown[][] = [[], []];
  let judged = 0;
  for (const table of tables) {
    const { setup, verdict } = table;
    const isPlain = !setup.files && !setup.links;
    const ground = isPlain ? plain : newGround(join(root, crypto.randomUUID()));
    if (!isPlain) lay(setup, ground);
    for (const mode of modes(table)) {
      const gates = gatesIn(setup, ground, mode);
      const isOwnMode = mode === (setup.mode ?? "default");
      for (const request of requestsOf(table, ground)) {
        const [own, ...others] = await Promise.all(gates.map((gate) => gate.decide(request)));
        const text = JSON.stringify(own);
        if (others.some((each) => JSON.stringify(each) !== text)) different!.push([mode, request.input, own, others]);
        if (isOwnMode && isWhole(table) && own!.behavior !== verdict) wrong!.push([verdict, request.input, own]);
        judged++;
      }
    }
  }
  return { judged, different, wrong };
}

test("every row of the tables is judged alike for the session, its subagents and theirs", async () => {
  const { judged, different, wrong } = await compare(TABLES, ({ setup }) => [setup.mode ?? "default"]);
  expect({ different, wrong }).toEqual({ different: [], wrong: [] });
  expect(judged).toBeGreaterThan(2_000);
});

test("attacks are judged alike in every mode", async () => {
  const { judged, different } = await compare(ATTACKS, () => PERMISSION_MODES);
  expect(different).toEqual([]);
  expect(judged).toBeGreaterThan(1_000);
});
