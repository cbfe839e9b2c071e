// Ends the conversation and begins another: a new session id and transcript in the same program. Rules, mode, model,
// servers and background tasks stay.

import { customTitle } from "@keelson/store";
import { tasksInBackground } from "../tasks/report.ts";
import { runStartHooks, type Stages } from "../session/life.ts";

/** `prompt` is the id of the prompt that asked for it. */
export async function clearConversation(stages: Stages, prompt: string | undefined): Promise<void> {
  const { storage, hooks, machine } = stages;
  const { outbox, place, state, cost, newId, now } = storage;
  await hooks.fire("SessionEnd", { reason: "clear" });
  const title = customTitle(place.id, state.title ?? "");
  if (title !== undefined) outbox.note(title);
  outbox.note(cost.state(place.id, storage.startedMs(), now()));
  // The id of the conversation is that of the message, as in the reference.
  const id = newId();
  await outbox.clients.push({
    type: "conversation_reset",
    new_conversation_id: id,
    trigger: "clear",
    ...(prompt === undefined ? {} : { user_message_uuid: prompt }),
    uuid: id,
    session_id: place.id,
  });
  state.goal = undefined;
  await storage.clear();
  outbox.note({ type: "mode", mode: "normal", sessionId: place.id });
  await outbox.show({
    type: "system",
    subtype: "background_tasks_changed",
    tasks: tasksInBackground(machine.tasks),
  });
  await runStartHooks(stages, { source: "clear" });
}
