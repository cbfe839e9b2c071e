// Tells SubagentStop hooks that the summary of a compaction was written. For them the model that writes it is a subagent
// without a type, as in the reference. What they answer changes nothing.

import { agentPath as agentTranscriptPath } from "@keelson/store/agents";
import { newAgentId } from "../agents/plan-child.ts";
import type { RunParts } from "../session/ports.ts";
import { taskHookFields } from "../tasks/tasks.lazy.ts";

export async function fireSummaryStop(
  { storage, machine, hooks, schedules }: RunParts,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const { place } = storage;
  const id = newAgentId();
  await hooks.fire(
    "SubagentStop",
    {
      stop_hook_active: false,
      agent_id: id,
      agent_type: "",
      ...(place.path === null ? {} : { agent_transcript_path: agentTranscriptPath(place.dir, place.id, id) }),
      last_assistant_message: text,
      ...taskHookFields(machine.tasks),
      ...schedules.hookFields(),
    },
    signal,
  );
}
