// A call as the gate wants it asked: links resolved, the command parsed. The only place that makes such a question.

import { lstatSync } from "node:fs";
import type { Access, GateQuestion } from "@keelson/engine";
import { pathsInCommand } from "@keelson/engine/gate";
import { realPathOf } from "@keelson/host";

/** All that a question needs besides the call itself and what is looked up for it. */
export type GateFacts = Omit<GateQuestion, "tool" | "input" | "access" | "realPath" | "realPaths" | "analysis">;

export async function gateQuestion(
  facts: GateFacts,
  call: Pick<GateQuestion, "tool" | "input" | "access">,
): Promise<GateQuestion> {
  const found = await lookedUp(call.access, facts.home);
  const paths = [...(found.realPath === undefined ? [] : [found.realPath]), ...(found.realPaths?.values() ?? [])];
  return { ...facts, ...call, ...found, governing: withOtherNames(facts.governing ?? [], paths) };
}

/** With those of these paths that are a second name of a governing file: a hard link, which no path tells. */
function withOtherNames(governing: readonly string[], paths: readonly string[]): readonly string[] {
  const linked = paths.filter((path) => identityOf(path) !== undefined);
  if (linked.length === 0) return governing;
  const own = new Set(governing.map(identityOf));
  return [...governing, ...linked.filter((path) => own.has(identityOf(path)))];
}

/** Undefined for files that have one name only. */
function identityOf(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() && found.nlink > 1 ? `${found.dev} ${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}

async function lookedUp(access: Access, home: string): Promise<Partial<GateQuestion>> {
  if (access.kind === "read" || access.kind === "edit") return { realPath: realPathOf(access.path) };
  if (access.kind !== "command") return {};
  // The shell parser costs about 1 ms to load; sessions that never run a command never pay it.
  const { analyseCommand } = await import("@keelson/engine/command");
  const analysis = analyseCommand(access.command);
  const named = pathsInCommand(analysis, { cwd: access.cwd, home });
  return { analysis, realPaths: new Map(named.map((path) => [path, realPathOf(path)])) };
}
