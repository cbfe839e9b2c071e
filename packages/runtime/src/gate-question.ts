// A call as the gate wants it asked: links resolved, the command parsed. The only place that makes such a question.

import type { Access, GateQuestion } from "@keelson/engine";
import { pathsInCommand } from "@keelson/engine/gate";
import { realPathOf } from "@keelson/host";

export { explained, withLinks } from "./gate-links.ts";

/** All that a question needs besides the call itself and what is looked up for it. */
export type GateFacts = Omit<GateQuestion, "tool" | "input" | "access" | "realPath" | "realPaths" | "analysis">;

export async function gateQuestion(
  facts: GateFacts,
  call: Pick<GateQuestion, "tool" | "input" | "access">,
): Promise<GateQuestion> {
  return { ...facts, ...call, ...(await lookedUp(call.access, facts.home)) };
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
