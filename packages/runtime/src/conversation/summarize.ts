// Replaces everything before a prompt, or the prompt and everything after it, with a summary: a compaction that keeps the
// rest of the conversation as it is.

import { existsSync } from "node:fs";
import { partsOfRun } from "@keelson/engine";
import type { SummaryDirection } from "@keelson/engine/compaction";
import { textOf, type ChainEntry } from "@keelson/protocol";
import { mayCompact } from "../compaction/compaction-port.ts";
import { runPorts, type RunParts } from "../session/ports.ts";
import { isAddedForPrompt, isPromptWithId, promptContent } from "./prompt-entry.ts";
import type { RewoundConversation } from "./rewind.ts";

export interface SummarizeOptions {
  readonly direction: SummaryDirection;
  /** The user's own words about the summary. */
  readonly instructions?: string | undefined;
  readonly signal: AbortSignal;
}

/** What happened. An error, or an interrupt, leaves the conversation as it was. */
export type SummarizedConversation =
  (RewoundConversation & { readonly preTokens: number; readonly postTokens: number }) | { readonly error: string };

/** `prompt` is the id of its message. Throws an error for the user if it cannot be tried. */
export async function summarizeAtPrompt(
  parts: RunParts,
  prompt: string,
  { signal, ...options }: SummarizeOptions,
): Promise<SummarizedConversation> {
  const { runState } = parts.storage;
  const interrupt = (runState.beside = new AbortController());
  try {
    return await summarize(parts, prompt, { ...options, signal: AbortSignal.any([signal, interrupt.signal]) });
  } finally {
    runState.beside = undefined;
  }
}

async function summarize(
  parts: RunParts,
  prompt: string,
  { direction, instructions, signal }: SummarizeOptions,
): Promise<SummarizedConversation> {
  const { storage } = parts;
  const { place, state, outbox, cost, now } = storage;
  if (!mayCompact(state.snapshot)) throw new Error("Compaction is turned off by DISABLE_COMPACT");
  if (place.path === null || !existsSync(place.path)) throw new Error("This conversation is not saved");
  const { loadSession } = await import("@keelson/store/past");
  const entries = loadSession({ path: place.path, configDir: state.snapshot.configDir })?.entries ?? [];
  const found = entries.findIndex((entry) => isPromptWithId(entry, prompt));
  if (found < 0) throw new Error(`No prompt with the id "${prompt}" in this conversation since its last summary`);
  const content = promptContent(entries[found]!);

  const own = runPorts(parts, signal);
  const ports = storage.observed?.ports(own) ?? own;
  const { compaction } = ports;
  if (!compaction) throw new Error("This conversation cannot be compacted");
  const { compactConversation, splitAtPrompt } = await import("@keelson/engine/compaction");
  const options = {
    trigger: "manual",
    instructions,
    parts: partsOfRun(ports)(),
    split: await splitAtPrompt(entries, {
      at: firstEntry(entries, found),
      direction,
      prompt: textOf(content),
      preface: state.instructions?.preface,
    }),
  } as const;
  const done = await compactConversation(
    state.conversation,
    { ...ports, model: ports.model, compaction },
    options,
  ).catch((error: unknown) => {
    if (signal.aborted && error instanceof Error) return { error: error.message };
    throw error;
  });
  if (!("error" in done)) await ports.record(done.entries);
  // Also if it failed: the request may have cost something.
  outbox.note(cost.state(place.id, storage.startedMs(), now()));
  if ("error" in done) return done;
  const { preTokens, postTokens } = done;
  return { prompt: content, preTokens, postTokens, sessionId: place.id };
}

/** What was added for a prompt comes before it. */
function firstEntry(entries: readonly ChainEntry[], prompt: number): number {
  let at = prompt;
  while (at > 0 && isAddedForPrompt(entries[at - 1]!)) at--;
  return at;
}
