// The texts of skills that were invoked earlier in a conversation, as its transcript has them.

import { blocksOf, isObject, isText, isToolUse, textOf, type ChainSubject } from "@keelson/protocol";

export interface InvokedText {
  readonly name: string;
  /** Empty if the transcript does not tell. */
  readonly path: string;
  readonly text: string;
}

const TYPED = /<command-name>\/([^<]+)<\/command-name>/;

/** By name, the latest text of each, oldest first. */
export function invokedIn(entries: Iterable<ChainSubject>): Map<string, InvokedText> {
  const found = new Map<string, InvokedText>();
  const calls = new Map<string, string>();
  const add = (name: string, path: string, text: string) => {
    found.delete(name);
    found.set(name, { name, path, text });
  };
  for (const entry of entries) {
    if (entry.type === "assistant") {
      for (const block of blocksOf(entry.message.content)) {
        const skill = isToolUse(block) && block.name === "Skill" ? block.input["skill"] : undefined;
        if (isToolUse(block) && typeof skill === "string") calls.set(block.id, skill.trim().replace(/^\//, ""));
      }
    } else if (entry.type === "user") {
      const called = entry.sourceToolUseID === undefined ? undefined : calls.get(entry.sourceToolUseID);
      if (called !== undefined) add(called, "", textOf(entry.message.content));
      // Typed: the heading, then the text.
      const [heading, body] = typeof entry.message.content === "string" ? [] : entry.message.content;
      const typed = heading && isText(heading) ? TYPED.exec(heading.text)?.[1] : undefined;
      if (typed !== undefined && body && isText(body)) add(typed, "", body.text);
    } else if (entry.type === "attachment" && entry.attachment.type === "invoked_skills") {
      const { skills } = entry.attachment as { readonly skills?: unknown };
      for (const skill of Array.isArray(skills) ? skills.toReversed() : [])
        if (isObject(skill) && typeof skill["name"] === "string" && typeof skill["content"] === "string")
          add(skill["name"], typeof skill["path"] === "string" ? skill["path"] : "", skill["content"]);
    }
  }
  return found;
}
