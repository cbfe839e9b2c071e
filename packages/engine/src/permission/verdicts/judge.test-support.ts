// The setup in which the verdict tables are judged: a repository at /repo, a home at /home/me, and rules as text. For
// tests only. Nothing here runs a command; it is read and judged.

import { NOTHING_SAID, type PermissionMode, type RuleBehavior } from "@keelson/protocol";
import type { Access } from "../../tool/tool.ts";
import { analyseCommand } from "../command/analysis/command.ts";
import { gitFolders } from "../git/git-folders.ts";
import { commandChecks } from "../command/decide-command.ts";
import { decide, type GateDecision, type GateQuestion } from "../decide.ts";
import { lookedUp, type Disk } from "../disk.test-support.ts";
import { parseRule, type Rule } from "../rules/rule.ts";
import type { CommandRow } from "./tables/verdicts-data.ts";

export type TableVerdict = "allow" | "ask" | "deny";

export interface TableSetup extends Disk {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly cwd?: string;
  readonly directories?: readonly string[];
  readonly shell?: GateQuestion["shell"];
  /** What repositories make git do, by the folder it runs in; missing folders are harmless. */
  readonly git?: Readonly<Record<string, { readonly looking?: string; readonly acting?: string }>>;
  /** Where the PATH finds programs. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Files and folders that govern the session. */
  readonly governing?: readonly string[];
}

/** One row per command of the tables, with the verdict it must get and a name for its test. */
export function commandRows(tables: Partial<Record<TableVerdict, readonly CommandRow[]>>) {
  const columns = Object.entries(tables) as [TableVerdict, readonly CommandRow[]][];
  return columns.flatMap(([verdict, groups]) =>
    groups.flatMap(([kind, setup, commands]) =>
      commands.map((command) => ({ verdict, kind, command, setup, name: JSON.stringify(command) })),
    ),
  );
}

export function judgeCommand(command: string, setup: TableSetup = {}): TableVerdict {
  return decideCommand(command, setup).behavior;
}

/** The verdict with its reason. */
export function decideCommand(command: string, setup: TableSetup = {}): GateDecision {
  return judge("Bash", { kind: "command", command, cwd: setup.cwd ?? "/repo" }, { command }, setup);
}

export function judgeCall(tool: string, access: Access, setup: TableSetup = {}): TableVerdict {
  return judge(tool, access, {}, setup).behavior;
}

function judge(tool: string, access: Access, input: Record<string, string>, setup: TableSetup): GateDecision {
  const links = new Map(Object.entries(setup.links ?? {}));
  const realPath = access.kind === "read" || access.kind === "edit" ? links.get(access.path) : undefined;
  return decide({
    tool,
    input,
    access,
    hook: NOTHING_SAID,
    rules: (["allow", "ask", "deny"] as const).flatMap((behavior) => rulesOf(behavior, setup[behavior] ?? [])),
    mode: setup.mode ?? "default",
    directories: setup.directories ?? ["/repo"],
    cwd: setup.cwd ?? "/repo",
    home: "/home/me",
    readable: [],
    governing: setup.governing,
    ...(realPath !== undefined && { realPath }),
    ...(access.kind === "command" && analysed(access, setup)),
    ...(setup.shell && { shell: setup.shell }),
    ...(setup.programs && { programs: new Map(Object.entries(setup.programs).map(([name, path]) => [name, [path]])) }),
    ...(access.kind === "command" && setup.git && { git: repositories(access, setup.git) }),
  });
}

function repositories({ command, cwd }: { command: string; cwd: string }, known: NonNullable<TableSetup["git"]>) {
  const { folders } = gitFolders(analyseCommand(command).commands, { cwd, home: "/home/me" });
  return new Map(folders.map((folder) => [folder, known[folder] ? [{ folder, ...known[folder] }] : []]));
}

function analysed({ command, cwd }: Extract<Access, { kind: "command" }>, disk: Disk) {
  const analysis = analyseCommand(command);
  return { analysis, commandChecks, ...lookedUp(analysis, { cwd, home: "/home/me" }, disk) };
}

function rulesOf(behavior: RuleBehavior, texts: readonly string[]): Rule[] {
  return texts.map((text) => {
    const parsed = parseRule(text);
    if (parsed === undefined) throw new Error(`"${text}" is no rule`);
    return { behavior, ...parsed, source: "userSettings", base: "/repo", text };
  });
}
