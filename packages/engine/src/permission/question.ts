// What the gate is asked, and small readings of it that several checks share.

import type { HookOutcome, JsonObject, PermissionMode } from "@keelson/protocol";
import type { PermissionDecision } from "../ports.ts";
import type { Access } from "../tool.ts";
import type { CommandAnalysis } from "./command/command.ts";
import type { CommandChecks } from "./command/decide-command.ts";
import type { OnDisk } from "./command/on-disk.ts";
import type { GitRepositories } from "./git-danger.ts";
import { governs } from "./match/match.ts";
import { matchesPath, type Matchers } from "./match/match-path.ts";
import { isInsideAny } from "./match/paths.ts";
import type { Rule } from "./rule.ts";

export interface GateQuestion {
  readonly tool: string;
  readonly input: JsonObject;
  readonly access: Access;
  /** `access.path` with every link resolved. */
  readonly realPath?: string;
  /** A file has other names, and whether one of them is denied could not be looked up. */
  readonly linked?: boolean;
  /** The same as `realPath` for what `toLookUp` named; paths that are missing here are taken as they stand. */
  readonly realPaths?: ReadonlyMap<string, string>;
  /** What was found of the patterns and folders `toLookUp` named; what is missing here may be anything. */
  readonly onDisk?: OnDisk;
  readonly hook: HookOutcome;
  readonly rules: readonly Rule[];
  readonly mode: PermissionMode;
  /** Working directories, absolute, links resolved; the first is where the session was started. */
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** Our own folders the model may always read, links resolved. */
  readonly readable: readonly string[];
  /** A folder of ours the model keeps its notes in: it may write plain Markdown there unasked. */
  readonly memory?: string;
  /** The file of ours that holds the plan of this session, links resolved: it may be written in plan mode, too. */
  readonly plan?: string;
  /** Files and folders that govern this session, by every name they have: written only when somebody says so. */
  readonly governing?: readonly string[];
  /** Of `access.command`; without it a command is treated as one that cannot be read. */
  readonly analysis?: CommandAnalysis;
  /** Required where `access` is a command; loaded together with the parser. */
  readonly commandChecks?: CommandChecks;
  /** What runs commands. Text is judged as bash reads it, so with `other` nothing is harmless by its text. */
  readonly shell?: "bash" | "other";
  /** The repositories git would find in the folders of `gitFolders`; absent: nobody looked. */
  readonly git?: GitRepositories;
  /** The full sandbox; absent where there is none. */
  readonly sandbox?: SandboxState;
  /** This command would run with files that may not be read masked, so that it need not name them to be kept off. */
  readonly shield?: boolean;
  /** Kept by the caller for as long as `rules` stay the same; absent: made for this one decision. */
  readonly matchers?: Matchers;
}

export interface SandboxState {
  readonly active: boolean;
  /** What runs inside it runs unasked. */
  readonly autoAllow: boolean;
  /** Whether a call may ask to run outside it. */
  readonly allowUnsandboxed: boolean;
  /** Commands that run outside it by setting: they are judged as if there were none. */
  readonly excluded: readonly string[];
}

/** A decision, with the name clients know the reason by where the decider alone does not tell it. */
export type GateDecision = PermissionDecision & { readonly reasonType?: "sandboxOverride" | "other" };

/** A path by both its names. */
export interface Ends {
  readonly given: string;
  readonly real: string;
}

/** One end is enough to forbid. */
export function eitherMatches(rule: Rule, { given, real }: Ends, question: GateQuestion): boolean {
  return matchesPath(rule, given, question) || (real !== given && matchesPath(rule, real, question));
}

/** Both ends must be allowed. */
export function allowedByPath(use: "read" | "edit", { given, real }: Ends, question: GateQuestion): Rule | undefined {
  return question.rules.find(
    (rule) =>
      rule.behavior === "allow" &&
      governs(rule, use, question.tool) &&
      matchesPath(rule, given, question) &&
      matchesPath(rule, real, question),
  );
}

/** Inside the working directories, by what the path really is. */
export function isInWorkingDirs(ends: Ends, question: GateQuestion): boolean {
  return isInsideAny(question.directories, ends.real);
}

/** Notes are Markdown, and where they are meant to be by name is where they are. */
export function isMemory({ given, real }: Ends, { memory }: GateQuestion): boolean {
  return memory !== undefined && given.endsWith(".md") && real.endsWith(".md") && isInsideAny([memory], real);
}

export const isPlan = ({ real }: Ends, { plan }: GateQuestion): boolean => real === plan;

export function isReadable(ends: Ends, question: GateQuestion): boolean {
  const { memory, readable } = question;
  return (
    isPlan(ends, question) ||
    isInWorkingDirs(ends, question) ||
    isInsideAny(memory === undefined ? readable : [...readable, memory], ends.real)
  );
}
