// One compaction: asks hooks and the model, then replaces everything before the newest reply, or on one side of a prompt,
// with a summary. The transcript keeps every entry; a boundary in it says where the conversation begins now. Loaded when it is
// needed.

import type { NewEntry } from "@keelson/protocol";
import { reminder } from "../run/admit.ts";
import { readSummary, renderCompactionRequest, renderContinuation } from "../context/compaction-prompt.ts";
import type { Conversation } from "../turn/conversation.ts";
import { ModelError } from "../errors.ts";
import type { CompactionPort, Ports } from "../ports.ts";
import { buildRequest, lengthOfParts, type RequestParts } from "../turn/request.ts";
import { withoutResults } from "./cleared-results.ts";
import { oldResults } from "./old-results.ts";
import { splitForSummary, withRequest, type PromptSplit } from "./split.ts";

export { splitAtPrompt } from "./split.ts";
export type { SummaryDirection } from "../context/compaction-prompt.ts";

export interface CompactOptions {
  readonly trigger: "manual" | "auto";
  /** The user's own words about the summary. */
  readonly instructions?: string | undefined;
  readonly parts: RequestParts;
  /** What becomes the summary, if not everything before the newest reply. */
  readonly split?: PromptSplit | undefined;
}

/** What happened. `entries` are still to be recorded; the conversation already has them. */
export type Compacted =
  | { readonly entries: readonly NewEntry[]; readonly preTokens: number; readonly postTokens: number }
  | { readonly error: string };

export const TOO_FEW = "Not enough messages to compact.";
const NOTHING = {
  up_to: "There is nothing to summarize before this prompt",
  from: "There is nothing to summarize from this prompt on",
} as const;
const EMPTY = "summarization produced empty response";
const CUT = "the summary was cut off because it became too long";

/** Rejects only if the run was aborted. */
export async function compactConversation(
  conversation: Conversation,
  ports: Ports & { readonly compaction: CompactionPort },
  options: CompactOptions,
): Promise<Compacted> {
  await ports.show({ type: "system", subtype: "status", status: "compacting" });
  const done = async (error?: string) =>
    ports.show({
      type: "system",
      subtype: "status",
      status: null,
      compact_result: error === undefined ? "success" : "failed",
      ...(error === undefined ? {} : { compact_error: error }),
    });
  try {
    const compacted = await perform(conversation, ports, options, () => done());
    if ("error" in compacted) await done(compacted.error);
    return compacted;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await done(message);
    if (error instanceof ModelError && error.kind !== "aborted") return { error: message };
    throw error;
  }
}

async function perform(
  conversation: Conversation,
  ports: Ports & { readonly compaction: CompactionPort },
  { trigger, instructions, parts, split }: CompactOptions,
  succeeded: () => Promise<void>,
): Promise<Compacted> {
  const { compaction: port } = ports;
  const started = ports.now();
  const besides = lengthOfParts(parts);
  const said = await ports.fire("PreCompact", { trigger, custom_instructions: instructions || null });
  if (said.verdict === "deny" || said.stop !== undefined) {
    return { error: said.reasons.join("\n") || said.stop || "A PreCompact hook blocked the compaction" };
  }
  if (split && !split.isWorthwhile) return { error: NOTHING[split.direction] };
  const found = split ?? splitForSummary(conversation.messages);
  if (!found) return { error: TOO_FEW };
  const { head } = found;
  const text = renderCompactionRequest([instructions ?? "", ...said.context], split);
  const ask = (messages: typeof head) => port.ask(buildRequest(parts, withRequest(messages, text)));
  const reply = await ask(head).catch((error: unknown) => {
    const old = new Set(oldResults(head).ids);
    if (!(error instanceof ModelError) || error.kind !== "prompt_too_long" || old.size === 0) throw error;
    return ask(head.map((message) => withoutResults(message, old)));
  });
  if (reply.text.trim() === "") return { error: EMPTY };
  if (reply.stopReason === "max_tokens") return { error: CUT };
  await port.summarized?.(reply.text);

  const before = conversation.account.tokens(besides);
  const kept = split?.keptIds ?? [...conversation.newest];
  const summary: NewEntry = {
    type: "user",
    uuid: ports.newId(),
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
    message: { role: "user", content: renderContinuation(readSummary(reply.text), port.transcript(), split) },
  };
  const preface = await port.preface();
  if (split) conversation.become(await split.rebuild(summary, preface));
  else conversation.compact(summary, preface);
  const restored = await restore(ports);
  for (const entry of restored) conversation.add(entry);

  const after = conversation.account.tokens(besides);
  const { compactions } = conversation;
  compactions.droppedTokens += Math.max(0, before - after);
  const boundaryId = ports.newId();
  const boundary: NewEntry = {
    type: "system",
    uuid: boundaryId,
    parentUuid: null,
    logicalParentUuid: port.leaf(),
    subtype: "compact_boundary",
    content: "Conversation compacted",
    level: "info",
    isMeta: false,
    compactMetadata: {
      trigger,
      preTokens: before,
      postTokens: after,
      durationMs: Math.round(ports.now() - started),
      ...preservedOf(kept, split?.direction === "from" ? boundaryId : summary.uuid),
      cumulativeDroppedTokens: compactions.droppedTokens,
    },
  };
  await succeeded();
  await ports.fire("PostCompact", { trigger, compact_summary: reply.text });
  return {
    entries: [boundary, { ...summary, parentUuid: boundary.uuid }, ...restored],
    preTokens: before,
    postTokens: after,
  };
}

/** From here on, the compaction must succeed: the conversation has changed. */
async function restore({ compaction, show, newId }: Ports & { readonly compaction: CompactionPort }) {
  try {
    return await compaction.restore();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const content = `Not everything could be restored after the compaction: ${why}`;
    await show({ type: "system", subtype: "informational", content, level: "warning" });
    return [reminder("Read files again before you rely on what they contain.", newId())];
  }
}

/** Readers put these after the anchor, in both formats, and what else follows it after them. */
function preservedOf(uuids: readonly string[], anchorUuid: string) {
  if (uuids.length === 0) return {};
  return {
    preservedSegment: { headUuid: uuids[0], anchorUuid, tailUuid: uuids.at(-1) },
    preservedMessages: { anchorUuid, uuids, allUuids: uuids },
  };
}
