// From prompt to entries: what was typed, and what hooks have to say about it.

import { textOf, type NewEntry, type PermissionMode, type PromptMessage } from "@keelson/protocol";
import type { Ports } from "./ports.ts";

export interface Admission {
  readonly entries: readonly NewEntry[];
  /** Set when a hook turned the prompt away; nothing is asked then. */
  readonly blocked?: string;
}

export async function admit(prompt: PromptMessage, mode: PermissionMode, ports: Ports): Promise<Admission> {
  const said = await ports.fire("UserPromptSubmit", { prompt: textOf(prompt.message.content) });
  if (said.verdict === "deny" || said.stop !== undefined) {
    return { entries: [], blocked: said.stop ?? said.reasons.join("\n") };
  }
  const promptId = ports.newId();
  const typed: NewEntry = {
    type: "user",
    uuid: prompt.uuid ?? ports.newId(),
    promptId,
    message: prompt.message,
    permissionMode: mode,
    promptSource: "sdk",
  };
  return { entries: [typed, ...said.context.map((text) => reminder(text, ports.newId()))] };
}

/** Text of ours in the user's place, marked so that nobody takes it for the user's own. */
export function reminder(text: string, uuid: string): NewEntry {
  return nudge(`<system-reminder>\n${text}\n</system-reminder>`, uuid);
}

export function nudge(text: string, uuid: string): NewEntry {
  return { type: "user", uuid, isMeta: true, message: { role: "user", content: [{ type: "text", text }] } };
}
