// What the members of a team write to each other besides text: JSON objects with a type, in the text of a message. Pure.

import { withoutReminderTags, isObject, printableSentence, type NewEntry } from "@keelson/protocol";
import type { Mail } from "@keelson/store/team";

export interface TeamSignal {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Undefined if the message is a text. */
export function signalOf({ text }: Pick<Mail, "text">): TeamSignal | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.type === "string" ? (value as TeamSignal) : undefined;
  } catch {
    return undefined;
  }
}

/** What the model reads. */
export function mailText({ from, text, summary }: Pick<Mail, "from" | "text" | "summary">): string {
  const about = summary === undefined ? "" : ` summary="${attribute(summary)}"`;
  return `<teammate-message teammate_id="${attribute(from)}"${about}>\n${inert(text)}\n</teammate-message>`;
}

export function entryOf(uuid: string, text: string): NewEntry {
  return { type: "user", uuid, isMeta: true, message: { role: "user", content: [{ type: "text", text }] } };
}

/** A message cannot end early, or begin another. */
function inert(text: string): string {
  return withoutReminderTags(text).replaceAll(/<(?=[\s/]*(?:teammate-message|task-notification))/gi, "&lt;");
}

function attribute(text: string): string {
  return printableSentence(text).replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
