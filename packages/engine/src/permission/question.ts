// The question that the gate answers, and helpers that several checks share.

import { dirname } from "node:path/posix";
import type { HookOutcome, JsonObject, PermissionMode } from "@keelson/protocol";
import type { PermissionDecision } from "../ports.ts";
import type { Access } from "../tool/tool.ts";
import type { CommandAnalysis } from "./command/analysis/command.ts";
import type { CommandChecks } from "./command/decide-command.ts";
import type { OnDisk } from "./command/files/on-disk.ts";
import type { GitRepositories } from "./git/git-danger.ts";
import { matchesPath, type Matchers } from "./match/match-path.ts";
import { isInside, isInsideAny } from "./match/paths.ts";
import { mayHoldNotes } from "./match/protected.ts";
import { rulesAbout } from "./rules/about-tool.ts";
import type { Rule } from "./rules/rule.ts";

export interface GateQuestion {
  readonly tool: string;
  readonly input: JsonObject;
  readonly access: Access;
  /** `access.path` with every link resolved. */
  readonly realPath?: string;
  /** The file has hard links, and it is not known whether one of them is denied. */
  readonly linked?: boolean;
  /** Like `realPath`, for the paths named by `toLookUp`; a path that is missing here is used as it is. */
  readonly realPaths?: ReadonlyMap<string, string>;
  /** What the patterns and folders named by `toLookUp` contain; anything missing here is unknown. */
  readonly onDisk?: OnDisk;
  readonly hook: HookOutcome;
  readonly rules: readonly Rule[];
  readonly mode: PermissionMode;
  /** What would need approval is denied, as in `dontAsk` mode: a stricter mode may hold at the same time. */
  readonly neverAsks?: boolean;
  /** Working directories, absolute, links resolved; the first is where the session was started. */
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** Folders of ours that the model may always read, links resolved. */
  readonly readable: readonly string[];
  /** The configuration folder, links resolved. */
  readonly configDir?: string;
  /** The folder of the model's notes, links resolved, where it may write Markdown without approval. */
  readonly memory?: string;
  /** The plan file of this session, links resolved; it may be written even in plan mode. */
  readonly plan?: string;
  /** Files and folders that govern this session, by every name they have; writing them requires approval. */
  readonly governing?: readonly string[];
  /** Of `access.command`; without it, the command counts as unreadable. */
  readonly analysis?: CommandAnalysis;
  /** Required if `access` is a command; loaded together with the parser. */
  readonly commandChecks?: CommandChecks;
  /**
   * What runs commands. They are judged as bash reads them, so with `other` every command needs approval. `old bash` is
   * bash 3.2, which reads some differently.
   */
  readonly shell?: CommandShell;
  /** The repositories git would find in the folders of `gitFolders`; undefined if that is not known. */
  readonly git?: GitRepositories;
  /** Where the PATH finds the programs named by `namesOnPath`, and the file that runs. */
  readonly programs?: ReadonlyMap<string, readonly string[]>;
  /** The full sandbox, if there is one. */
  readonly sandbox?: SandboxState;
  /** The command would run with denied files hidden, whether or not it names them. */
  readonly shield?: boolean;
  /** Kept by the caller as long as `rules` stay the same; without it, made for this decision only. */
  readonly matchers?: Matchers;
}

export type CommandShell = "bash" | "old bash" | "other";

export interface SandboxState {
  readonly active: boolean;
  /** It is only the shield, which no rule lets a command leave. */
  readonly isShield?: boolean;
  /** Commands inside it run without approval. */
  readonly autoAllow: boolean;
  /** Whether a call may ask to run outside it. */
  readonly allowUnsandboxed: boolean;
  /** Commands that the settings keep outside it; they are judged as if there were no sandbox. */
  readonly excluded: readonly string[];
}

/** A decision; `reasonType` is set where clients expect another name than the decider's. */
export type GateDecision = PermissionDecision & { readonly reasonType?: "sandboxOverride" | "other" };

/** A path as given, and with links resolved. */
export interface Ends {
  readonly given: string;
  readonly real: string;
}

/** For deny rules: either path is enough. */
export function eitherMatches(rule: Rule, { given, real }: Ends, question: GateQuestion): boolean {
  return matchesPath(rule, given, question) || (real !== given && matchesPath(rule, real, question));
}

/** For allow rules: both paths must match. */
export function allowedByPath(use: "read" | "edit", { given, real }: Ends, question: GateQuestion): Rule | undefined {
  return rulesAbout(question.rules, "allow", question.tool, use).paths.find((rule) => {
    // Whoever may read everything in a folder may also list it.
    const mayList = use === "read" && rule.content?.endsWith("/**") === true;
    const covers = (path: string) =>
      matchesPath(rule, path, question) || (mayList && matchesPath(rule, `${path}/x`, question));
    return covers(given) && covers(real);
  });
}

/** Whether the resolved path is inside the working directories. */
export function isInWorkingDirs(ends: Ends, question: GateQuestion): boolean {
  return isInsideAny(question.directories, ends.real);
}

/** Notes are Markdown files, by both paths. */
export function isMemory({ given, real }: Ends, { memory, configDir }: GateQuestion): boolean {
  if (memory === undefined || !isInside(memory, real) || !mayHoldNotes(memory, configDir)) return false;
  return given.endsWith(".md") && real.endsWith(".md");
}

export const isPlan = ({ real }: Ends, { plan, configDir }: GateQuestion): boolean =>
  real === plan && mayHoldNotes(dirname(plan), configDir);

/**
 * The folder of the notes or the plan that this path leads to. What is protected inside it stays so: this is the only exception
 * from protection by place, and `byMode` and `reading`, which come later, allow what it lets through.
 */
export function unaskedFolder(ends: Ends, question: GateQuestion): string | undefined {
  if (isMemory(ends, question)) return question.memory;
  return isPlan(ends, question) ? dirname(ends.real) : undefined;
}

export function isReadable(ends: Ends, question: GateQuestion): boolean {
  const { memory, readable } = question;
  return (
    isPlan(ends, question) ||
    isInWorkingDirs(ends, question) ||
    isInsideAny(memory === undefined ? readable : [...readable, memory], ends.real)
  );
}
