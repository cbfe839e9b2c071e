// Agents in the background whose end the model did not hear of, because the session's process ended first. The model of
// the resumed session would wait for them, so it is told, and so are clients. Loaded when a session is resumed.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { cutMiddle } from "@keelson/engine";
import { textOf, type AgentDefinition } from "@keelson/protocol";
import { storedAgents, worksElsewhere, writeAgentMeta, type StoredAgent } from "@keelson/store/agents";
import { agentsToldOf, readEntries } from "@keelson/store/past";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import { field, MAX_RESULT_CHARS, taskReminder } from "../tasks/notice.ts";

interface LostAgentStages {
  readonly storage: Storage;
  readonly machine: Pick<Machine, "outputDir">;
  readonly agents: { list(): readonly AgentDefinition[] };
}

export function reportLostAgents({ storage, machine, agents }: LostAgentStages): void {
  const { place, outbox, inbox, newId, now } = storage;
  const open = storedAgents(place.dir, place.id).filter((agent) => wasInBackground(agent, now()));
  if (open.length === 0 || place.path === null) return;
  const told = open.some(({ meta }) => meta.finished) ? agentsToldOf(place.path) : undefined;
  for (const { id, path, meta } of open) {
    if (meta.finished && told?.has(id)) continue;
    const { status, summary, result } = endOf({ id, path, meta });
    const call = meta.toolUseId === undefined ? {} : { tool_use_id: meta.toolUseId };
    const about = { task_id: id, ...call, status, output_file: join(machine.outputDir, `${id}.output`) };
    void outbox.show({ type: "system", subtype: "task_notification", ...about, summary });
    const endsThere = agents.list().find(({ name }) => name === meta.agentType)?.oneShot === true;
    const notice = taskReminder(
      [
        "A background task ended with the last session. This notice is automatic; the user did not write it.",
        "<task-notification>",
        field("task-id", id),
        ...(meta.toolUseId === undefined ? [] : [field("tool-use-id", meta.toolUseId)]),
        field("status", status),
        field("summary", summary),
        ...(endsThere ? [] : [field("note", `SendMessage to ${id} makes it go on with all it knows.`)]),
        ...(result === "" ? [] : [field("result", cutMiddle(result, MAX_RESULT_CHARS))]),
        "</task-notification>",
      ],
      newId(),
    );
    const taken = () => {
      if (!meta.finished) markEnded({ id, path, meta }, storage.options.warn);
    };
    inbox.notify(notice, { wakes: false, taken });
  }
}

/** If it fails, the next resume tells of the agent once more. */
function markEnded({ id, path, meta }: StoredAgent, warn: (text: string) => void): void {
  try {
    writeAgentMeta(path, { ...meta, finished: true, status: "killed" });
  } catch (error) {
    warn(`Agent ${id} ended with the last session: what became of it cannot be written (${(error as Error).message})`);
  }
}

/** Another program does not say which process runs its agents; one that wrote just now may still be there. */
const RECENT_MS = 60_000;

/** What an agent waited for itself ended with it. */
function wasInBackground({ path, meta }: StoredAgent, now: number): boolean {
  if ((meta.requestShape !== "background" && meta.inBackground !== true) || meta.parentAgentId !== undefined)
    return false;
  if (meta.finished) return true;
  return meta.pid === undefined ? now - (fileAt(path)?.mtimeMs ?? 0) > RECENT_MS : !worksElsewhere(meta);
}

const fileAt = (path: string) => lstatSync(path, { throwIfNoEntry: false });

const MAX_NAME_CHARS = 1_000;

function endOf({ path, meta }: StoredAgent) {
  const name = cutMiddle(meta.description, MAX_NAME_CHARS);
  const status =
    !meta.finished || meta.status === "killed" ? ("stopped" as const) : (meta.status ?? ("completed" as const));
  if (status === "stopped")
    return { status, summary: `Agent "${name}" did not finish before the session ended`, result: "" };
  // A link leads elsewhere.
  const entries = fileAt(path)?.isFile() ? [...readEntries(path)] : [];
  const said = entries.findLast((entry) => entry.type === "assistant");
  const result = said?.type === "assistant" ? textOf(said.message.content) : "";
  return { status, summary: `Agent "${name}" ${status} before the session ended`, result };
}
