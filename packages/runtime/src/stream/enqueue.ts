// The one way a prompt gets into the queue: the transcript notes it, and its sender is notified if it has an id.

import { textOf, type PromptMessage } from "@keelson/protocol";
import { enqueued } from "@keelson/store";
import type { SessionPlace } from "../session/place.ts";
import type { RunState } from "../session/run-state.ts";
import type { StreamClient } from "./clients.ts";
import type { Inbox } from "./inbox.ts";
import type * as Joining from "./joining.ts";
import type { Outbox } from "./outbox.ts";

export interface QueueParts {
  readonly place: SessionPlace;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly runState: RunState;
  now(): number;
}

export function enqueuePrompt(prompt: PromptMessage, parts: QueueParts, sender?: StreamClient): void {
  const { place, outbox, inbox, runState, now } = parts;
  // A client that cannot know whether a prompt arrived sends it again. Ids in a transcript are unique.
  const { uuid } = prompt;
  if (uuid !== undefined && (inbox.hadPrompt(uuid) || isStored(uuid, place))) {
    if (sender?.view.replayPrompts) void sender.tell(outbox.echoOf(prompt));
    // It was over before this process began.
    if (!inbox.hadPrompt(uuid)) void sender?.tell(outbox.lifecycleOf(uuid, "completed"));
    return;
  }
  if (sender?.isAtItsOwnPace && (require("./joining.ts") as typeof Joining).refusesMore(prompt, sender, parts)) return;
  outbox.note(enqueued(place.id, textOf(prompt.message.content), now()));
  // One that need not wait is told of when its run begins.
  const waits = runState.running || inbox.waiting > 0;
  if (prompt.uuid !== undefined && waits) outbox.lifecycle(prompt.uuid, "queued");
  inbox.push(prompt, sender?.id);
  if (prompt.priority === "now" && runState.running) runState.interrupt();
}

const isStored = (id: string, { loaded }: SessionPlace) => loaded?.entries.some(({ uuid }) => uuid === id) === true;
