// Lets hooks decide whether a run continues: after each batch of calls, and when the model is done.

import { withoutReminderTags, type Json, type JsonObject, type NewEntry } from "@keelson/protocol";
import { nudge, reminder } from "./admit.ts";
import type { Ports } from "../ports.ts";
import type { Ending } from "./result.ts";
import type { SettledCall } from "../tool/tool-call.ts";
import type { StreamedCall, ModelReply } from "../turn/turn.ts";

/** The end of the run, or what to add before the model is asked again. */
export interface Next {
  readonly ending?: Ending;
  readonly entries: readonly NewEntry[];
}

/** Fires PostToolBatch with the calls as the model will see them. Hooks may add context or end the run. */
export async function afterBatch(
  calls: readonly StreamedCall[],
  settled: readonly SettledCall[],
  ports: Ports,
): Promise<Next> {
  const tool_calls: JsonObject[] = calls.map(({ block }, at) => ({
    tool_name: settled[at]?.tool ?? block.name,
    tool_input: block.input,
    tool_use_id: block.id,
    tool_response: responseOf(settled[at]?.entry),
  }));
  const said = await ports.fire("PostToolBatch", { tool_calls });
  const ends = said.verdict === "deny" || said.stop !== undefined;
  return {
    entries: said.context.map((text) => reminder(text, ports.newId())),
    ...(ends ? { ending: { reason: "hook_stopped", text: said.reasons.join("\n") } } : {}),
  };
}

/** A hook that always blocks must not keep a run going forever. */
const MOST_RETURNS = 8;

export class StopHooks {
  #returns = 0;

  /** The model is done. Stop hooks may send it back to work, a limited number of times in a row. */
  async after({ text, stopReason }: ModelReply, ports: Ports): Promise<Next> {
    const said = await ports.fire("Stop", {
      stop_hook_active: this.#returns > 0,
      ...(text === "" ? {} : { last_assistant_message: text }),
    });
    const entries = said.context.map((each) => reminder(each, ports.newId()));
    if (said.stop !== undefined) return { entries, ending: { reason: "stop_hook_prevented", text, stopReason } };
    // Context from a hook justifies another request; an empty reply does not.
    if (said.verdict !== "deny" && entries.length === 0)
      return { entries, ending: { reason: "completed", text, stopReason } };
    if (++this.#returns > MOST_RETURNS) {
      await ports.show({
        type: "system",
        subtype: "informational",
        level: "warning",
        content: `Stop hooks or the goal sent the model back to work ${MOST_RETURNS} times in a row; ending the run anyway`,
      });
      return { entries, ending: { reason: "completed", text, stopReason } };
    }
    if (said.verdict !== "deny") return { entries };
    return {
      entries: [
        ...entries,
        nudge(withoutReminderTags(`Stop hook feedback:\n${said.reasons.join("\n")}`), ports.newId()),
      ],
    };
  }

  /** The model went back to work on its own. */
  working(): void {
    this.#returns = 0;
  }
}

function responseOf(entry: NewEntry | undefined): Json {
  if (entry?.type !== "user" || typeof entry.message.content === "string") return null;
  const [result] = entry.message.content as readonly { readonly content?: Json }[];
  return result?.content ?? null;
}
