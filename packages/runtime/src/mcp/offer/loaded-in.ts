// What a conversation that goes on says ToolSearch loaded in it. Loaded only for a conversation that has messages.

import { blocksOf, isList, isObject, isToolResult, isToolUse, type ModelMessage } from "@keelson/protocol";

/** How the result of a search in words begins. */
const LOADED = "Loaded; call them from now on:";

/** The tools that ToolSearch loaded in a conversation, in that order. */
export function loadedIn(
  messages: readonly ModelMessage[],
): readonly { readonly name: string; readonly isReferred: boolean }[] {
  const searches = new Set<string>();
  return messages.flatMap(({ content }) =>
    blocksOf(content).flatMap((block) => {
      if (isToolUse(block) && block.name === "ToolSearch") searches.add(block.id);
      if (!isToolResult(block) || !searches.has(block.tool_use_id)) return [];
      // A damaged transcript may have anything there.
      const given: unknown = block.content;
      const parts = isList(given) ? given.filter(isObject) : [];
      const found = parts.flatMap(({ type, tool_name: name }) =>
        type === "tool_reference" && typeof name === "string" ? [{ name, isReferred: true }] : [],
      );
      if (found.length > 0) return found;
      const texts = parts.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
      const text = typeof given === "string" ? given : texts.join("");
      const [title, ...names] = text.split("\n");
      const isWritten = title === LOADED && block.is_error !== true;
      const end = names.findIndex((name) => !/^\S+$/.test(name));
      return isWritten ? names.slice(0, end < 0 ? undefined : end).map((name) => ({ name, isReferred: false })) : [];
    }),
  );
}
