// The files of one subagent: its transcript, what is known of it, and for an agent in the background a copy of the
// transcript that the session's agent may read.

import { join } from "node:path";
import { nullTranscript, openTranscript, type TranscriptWriter } from "@keelson/store";
import { agentPath, readAgentMeta, writeAgentMeta, type AgentMeta } from "@keelson/store/agents";
import type { Outbox } from "../../stream/outbox.ts";
import type { AgentStages } from "../spawner.ts";
import type { ChildEnd, ChildHost, ChildPlan } from "./child.ts";
import { Meter } from "./meter.ts";

export interface ChildFiles {
  readonly outbox: Outbox;
  readonly meter: Meter;
  /** Something was counted: what is known of the agent is written again, not too often. */
  counted(): void;
  /** Empty for an agent that someone waits for. */
  readonly outputPath: string;
  /** Opens the copy, when the agent is moved to the background. Entries from now on are in it. */
  openOutput(): string;
  close(end: ChildEnd | undefined): void;
}

interface ChildFilesOptions extends Pick<ChildHost, "owner" | "steps"> {
  cwd(): string;
  isHeard(): boolean;
}

const SAVE_EVERY_MS = 1_000;

export function openChildFiles(
  plan: ChildPlan,
  { storage, machine }: AgentStages,
  { cwd, isHeard, owner, steps }: ChildFilesOptions,
): ChildFiles {
  const { place, options, outbox, now, cost, callTimes } = storage;
  const { id, definition, description, parent, startedBy: toolUseId, name, worktree } = plan;
  const path = place.path === null ? undefined : agentPath(place.dir, place.id, id);
  const report = (error: Error) =>
    options.warn(`The transcript of agent ${id} cannot be written (${error.message}); it continues without it`);
  const transcript = path === undefined ? nullTranscript() : openTranscript({ path, onFailure: report });
  const outputPath = join(machine.outputDir, `${id}.output`);
  let output: TranscriptWriter | undefined;
  const openOutput = () => {
    output ??= openTranscript({ path: outputPath });
    if (!inBackground) save({ requestShape: "background" });
    inBackground = true;
    return outputPath;
  };
  let inBackground = plan.background;
  if (inBackground) openOutput();
  const earlier = plan.past && !plan.isFork && path !== undefined ? readAgentMeta(path) : undefined;
  const worked = callTimes.start(id, plan.toolUseId);
  const meter = new Meter(() => callTimes.msOf(id) ?? worked(), cost.separate(earlier?.modelUsage), earlier);
  let meta: AgentMeta = {
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
    startedAt: earlier?.startedAt ?? new Date(now()).toISOString(),
    ...owner(),
  };
  const own = outbox.forAgent(
    { id, type: definition.name, description, toolUseId, isHeard },
    {
      append: (entries) => {
        transcript.append(entries);
        output?.append(entries);
      },
      leaf: plan.past?.leaf ?? null,
      mirrored: path,
      cwd,
    },
  );
  let saved = now();
  const write = () => {
    if (path === undefined) return;
    saved = now();
    try {
      writeAgentMeta(path, meta);
    } catch (error) {
      report(error as Error);
    }
  };
  const save = (more: Partial<AgentMeta>) => {
    meta = { ...meta, ...more };
    write();
    own.mirror([{ type: "agent_metadata", ...meta }]);
  };
  own.mirror([{ type: "agent_metadata", ...meta }]);
  let isClosed = false;
  // Entries are in the transcript before they are sent; this file takes longer, and the first request need not wait for it.
  steps.chore(() => {
    if (!isClosed) write();
  });
  return {
    outbox: own,
    meter,
    counted() {
      if (now() - saved < SAVE_EVERY_MS) return;
      meta = { ...meta, ...meter.total() };
      write();
    },
    outputPath: plan.background ? outputPath : "",
    openOutput,
    close(end) {
      isClosed = true;
      worked();
      save({
        finished: true,
        status: end?.status ?? "failed",
        endedAt: new Date(now()).toISOString(),
        ...meter.total(),
      });
      transcript.close();
      output?.close();
    },
  };
}
