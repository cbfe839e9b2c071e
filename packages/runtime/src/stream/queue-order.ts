// The order of queued prompts, which of them go to the model together, and as what: it reads those that waited during a
// run as one message.

import { blocksOf, isText, textOf, type ContentBlock, type PromptMessage } from "@keelson/protocol";
import type { Work } from "./inbox.ts";

/** Before the first prompt that can wait longer. */
export function insert(queue: PromptMessage[], prompt: PromptMessage): void {
  const at = queue.findIndex((other) => rankOf(other) > rankOf(prompt));
  queue.splice(at < 0 ? queue.length : at, 0, prompt);
}

/** Takes the next work from the front of the queue. */
export function takeTogether(prompts: PromptMessage[]): Work {
  const parts = prompts.splice(0, countTogether(prompts));
  return parts.length === 1 ? { prompt: parts[0]! } : { prompt: mergePrompts(parts), parts };
}

/** Commands, what the session itself sends, and what is not for the model yet keep to themselves. */
export function isPlainPrompt({ shouldQuery, origin, shell, client_composed: composed, message }: PromptMessage) {
  if (shouldQuery === false || origin || shell) return false;
  return composed === true || !textOf(message.content).startsWith("/");
}

/** How many prompts at the front of the queue are one message to the model. */
export function countTogether(prompts: readonly PromptMessage[]): number {
  const [first] = prompts;
  if (!first || !mayMerge(first)) return Math.min(prompts.length, 1);
  const isOther = (prompt: PromptMessage) =>
    !mayMerge(prompt) ||
    rankOf(prompt) !== rankOf(first) ||
    prompt.byUser !== first.byUser ||
    (prompt.client_composed === true) !== (first.client_composed === true);
  const end = prompts.findIndex(isOther);
  return end < 0 ? prompts.length : end;
}

/** The message has the id of the last prompt, as in the reference. */
export function mergePrompts(prompts: readonly PromptMessage[]): PromptMessage {
  const last = prompts.at(-1)!;
  if (prompts.length === 1) return last;
  const contents = prompts.map(({ message }) => message.content);
  const areTexts = contents.every((content) => typeof content === "string");
  const content = areTexts ? contents.join("\n") : contents.map(blocksOf).reduce(appended);
  return { ...last, message: { role: "user", content } };
}

/** A priority that no one knows is the usual one. */
const rankOf = ({ priority = "next" }: PromptMessage): number => {
  const rank = ["now", "next", "later"].indexOf(priority);
  return rank < 0 ? 1 : rank;
};

const mayMerge = (prompt: PromptMessage) => prompt.isSynthetic !== true && isPlainPrompt(prompt);

/** Texts that meet are on lines of their own. */
function appended(blocks: readonly ContentBlock[], next: readonly ContentBlock[]): readonly ContentBlock[] {
  const end = blocks.at(-1);
  if (!end || !isText(end) || !next[0] || !isText(next[0])) return [...blocks, ...next];
  return [...blocks.slice(0, -1), { ...end, text: `${end.text}\n` }, ...next];
}
