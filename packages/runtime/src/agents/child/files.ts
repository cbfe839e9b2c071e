// The files of one subagent: its transcript, what is known of it, and for an agent in the background a copy of the
// transcript that the session's agent may read.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { nullTranscript, openTranscript, type TranscriptWriter } from "@keelson/store";
import { agentPath, writeAgentMeta, type AgentMeta } from "@keelson/store/agents";
import type { Outbox } from "../../stream/outbox.ts";
import type { ChildEnd, ChildPlan } from "./child.ts";
import type { AgentStages } from "../spawner.ts";

export interface ChildFiles {
  readonly outbox: Outbox;
  /** Empty for an agent that someone waits for. */
  readonly outputPath: string;
  /** Opens the copy, when the agent is moved to the background. Entries from now on are in it. */
  openOutput(): string;
  close(end: ChildEnd | undefined): void;
}

export function openChildFiles(
  plan: ChildPlan,
  { storage, machine }: AgentStages,
  { cwd, showsText }: { cwd(): string; showsText(): boolean },
): ChildFiles {
  const { place, options, outbox, now } = storage;
  const { id, definition, description, parent, toolUseId, name, worktree } = plan;
  const path = place.path === null ? undefined : agentPath(place.dir, place.id, id);
  const report = (error: Error) =>
    options.warn(`The transcript of agent ${id} cannot be written (${error.message}); it continues without it`);
  const transcript = path === undefined ? nullTranscript() : openTranscript({ path, onFailure: report });
  const outputPath = join(machine.outputDir, `${id}.output`);
  let output: TranscriptWriter | undefined;
  const openOutput = () => {
    mkdirSync(machine.outputDir, { recursive: true, mode: 0o700 });
    output ??= openTranscript({ path: outputPath });
    return outputPath;
  };
  if (plan.background) openOutput();
  const meta: AgentMeta = {
    agentType: definition.name,
    ...(definition.source === "built-in" ? { isBuiltIn: true } : {}),
    description,
    toolUseId,
    spawnDepth: parent.depth + 1,
    ...(parent.id === undefined ? {} : { parentAgentId: parent.id }),
    ...(name === undefined ? {} : { name }),
    requestShape: plan.isFork ? "fork" : plan.background ? "background" : "foreground",
    model: plan.model.profile.id,
    ...(worktree ? { worktreePath: worktree.cwd, worktreeBranch: worktree.branch } : {}),
    startedAt: new Date(now()).toISOString(),
  };
  const own = outbox.forAgent(
    { id, type: definition.name, description, toolUseId, showsText },
    {
      append: (entries) => {
        transcript.append(entries);
        output?.append(entries);
      },
      leaf: plan.past?.leaf ?? null,
      mirrored: options.mirror ? path : undefined,
      cwd,
    },
  );
  const save = (more: Partial<AgentMeta>) => {
    if (path === undefined) return;
    const whole = { ...meta, ...more };
    try {
      writeAgentMeta(path, whole);
    } catch (error) {
      report(error as Error);
    }
    own.mirror([{ type: "agent_metadata", ...whole }]);
  };
  save({});
  return {
    outbox: own,
    outputPath: plan.background ? outputPath : "",
    openOutput,
    close(end) {
      save({
        finished: true,
        status: end?.status ?? "failed",
        endedAt: new Date(now()).toISOString(),
        ...(end ? { totalTokens: end.used.totalTokens, toolUses: end.used.toolUses, lastTool: end.used.lastTool } : {}),
      });
      transcript.close();
      output?.close();
    },
  };
}
