// Builds the question the gate decides: the call with links resolved and, for a command, everything looked up on disk.
// No other module builds one.

import { lstatSync } from "node:fs";
import type { Access, GateQuestion } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import type { CommandLookup } from "./command-lookup.ts";

export { withLinkReason, withLinks } from "./links.ts";

/** The part of a question that comes from the session rather than from the call. */
export type GateFacts = Omit<
  GateQuestion,
  "tool" | "input" | "access" | "realPath" | "realPaths" | "onDisk" | "analysis" | "commandChecks" | "git"
>;

export async function gateQuestion(
  facts: GateFacts,
  call: Pick<GateQuestion, "tool" | "input" | "access">,
  commands: () => Promise<CommandLookup>,
): Promise<GateQuestion> {
  const found = await lookUp(call.access, facts.home, commands);
  const { governing = [] } = facts;
  if (governing.length === 0) return { ...facts, ...call, ...found };
  const matched = [...(found.onDisk?.matches.values() ?? [])].flat().map(({ real }) => real);
  const paths = [found.realPath ?? [], [...(found.realPaths?.values() ?? [])], matched].flat();
  return { ...facts, ...call, ...found, governing: withOtherNames(governing, paths) };
}

/** Adds paths that are hard links to a governing file; their names do not show it. */
function withOtherNames(governing: readonly string[], paths: readonly string[]): readonly string[] {
  const linked = paths.filter((path) => identityOf(path) !== undefined);
  if (linked.length === 0) return governing;
  const own = new Set(governing.map(identityOf));
  return [...governing, ...linked.filter((path) => own.has(identityOf(path)))];
}

/** Undefined for a file with only one name. */
function identityOf(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() && found.nlink > 1 ? `${found.dev} ${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}

async function lookUp(
  access: Access,
  home: string,
  commands: () => Promise<CommandLookup>,
): Promise<Partial<GateQuestion>> {
  if (access.kind === "read" || access.kind === "edit") return { realPath: realPathOf(access.path) };
  return access.kind === "command" ? (await commands())(access, home) : {};
}
