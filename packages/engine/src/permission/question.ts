// What the gate is asked, and small readings of it that several checks share.

import type { HookOutcome, JsonObject, PermissionMode } from "@keelson/protocol";
import type { Access } from "../tool.ts";
import type { CommandAnalysis } from "./command.ts";
import { isInsideAny } from "./paths.ts";
import { governs, matchesPath, type Anchors } from "./match.ts";
import type { Rule } from "./rule.ts";

export interface GateQuestion extends Pick<Anchors, "matchers"> {
  readonly tool: string;
  readonly input: JsonObject;
  readonly access: Access;
  /** `access.path` with every link resolved. */
  readonly realPath?: string;
  /** The same for what `pathsInCommand` named; paths that are missing here are taken as they stand. */
  readonly realPaths?: ReadonlyMap<string, string>;
  readonly hook: HookOutcome;
  readonly rules: readonly Rule[];
  readonly mode: PermissionMode;
  /** Working directories, absolute, links resolved; the first is where the session was started. */
  readonly directories: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** Our own folders the model may always read, links resolved. */
  readonly readable: readonly string[];
  /** Of `access.command`; without it a command is treated as one that cannot be read. */
  readonly analysis?: CommandAnalysis;
}

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
export function isHome(ends: Ends, question: GateQuestion): boolean {
  return isInsideAny(question.directories, ends.real);
}

export function isReadable(ends: Ends, question: GateQuestion): boolean {
  return isHome(ends, question) || isInsideAny(question.readable, ends.real);
}
