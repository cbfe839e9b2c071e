// One compaction: asks hooks and the model, then replaces everything before the newest reply, or on one side of a prompt,
// with a summary. The transcript keeps every entry; a boundary in it says where the conversation begins now. Loaded when it is
// needed.

import { blocksOf, type NewEntry } from "@keelson/protocol";
import { reminder } from "../run/admit.ts";
import { readSummary, renderCompactionRequest, renderContinuation } from "../context/compaction-prompt.ts";
import type { Conversation } from "../turn/conversation.ts";
import { ModelError } from "../errors.ts";
import type { CompactionPort, Ports } from "../ports.ts";
import { lengthOfParts, type RequestParts } from "../turn/request.ts";
import { askForSummary } from "./ask-for-summary.ts";
import { withGap } from "./shorten.ts";
import { divide, type PromptSplit } from "./split.ts";
import { compactionRules, fullFrom, type CompactionRules } from "./when.ts";

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
const LONGER = "the summary would be longer than what it replaces";
/** A summary of so few tokens is never too long. */
const SMALL_SUMMARY = 500;

/** Rejects only if the run was aborted. */
export async function compactConversation(
  conversation: Conversation,
  ports: Ports & { readonly compaction: CompactionPort },
  options: CompactOptions,
): Promise<Compacted> {
  const boundaryId = ports.newId();
  const announced = { status: "compacting", compact_boundary_uuid: boundaryId } as const;
  await ports.show({ type: "system", subtype: "status", ...announced });
  const done = async (error?: string) =>
    ports.show({
      type: "system",
      subtype: "status",
      status: null,
      compact_result: error === undefined ? "success" : "failed",
      ...(error === undefined ? {} : { compact_error: error }),
    });
  try {
    const compacted = await perform(conversation, ports, { ...options, boundaryId, succeeded: () => done() });
    if ("error" in compacted) await done(compacted.error);
    return compacted;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await done(message);
    if (error instanceof ModelError && error.kind !== "aborted") return { error: message };
    throw error;
  }
}

interface Announced {
  readonly boundaryId: string;
  succeeded(): Promise<void>;
}

async function perform(
  conversation: Conversation,
  ports: Ports & { readonly compaction: CompactionPort },
  { trigger, instructions, parts, split, boundaryId, succeeded }: CompactOptions & Announced,
): Promise<Compacted> {
  const { compaction: port } = ports;
  const started = ports.now();
  const besides = lengthOfParts(parts);
  const said = await ports.fire("PreCompact", { trigger, custom_instructions: instructions || null });
  if (said.verdict === "deny" || said.stop !== undefined) {
    return { error: said.reasons.join("\n") || said.stop || "A PreCompact hook blocked the compaction" };
  }
  if (split && !split.isWorthwhile) return { error: NOTHING[split.direction] };
  const { account } = conversation;
  const { contextWindow } = ports.model.profile;
  const rules = split ? compactionRules(contextWindow, { automatic: true }) : port.rules(contextWindow);
  const { refusals } = conversation.compactions;
  // The server may have a smaller window than we know: less is left each time.
  const goal = Math.max(roomFor(account, rules, besides) / 4 ** refusals, LEAST_ROOM);
  const isFull = refusals > 0 || account.tokens(besides) >= rules.limit;
  const found = split ?? divide(conversation.messages, { account, most: goal });
  if (!found) return { error: TOO_FEW };
  const reply = await askForSummary(found.head, {
    text: renderCompactionRequest([instructions ?? "", ...said.context], split),
    known: split ? 0 : account.tokens(besides),
    account,
    parts,
    excerpt: isFull ? account.charactersIn(goal / 2) : undefined,
    ask: (request) => port.ask(request),
  });
  if ("error" in reply) return reply;
  const room = Math.max(Math.min(goal, reply.mostTokens / 2), LEAST_ROOM);
  const replaced = account.tokensOf(found.head.flatMap(({ content }) => blocksOf(content)));
  // A conversation that cannot continue as it is gets a summary of whatever length is left.
  const longest = isFull ? Math.min(room, Math.max(replaced, SMALL_SUMMARY)) / 2 : room / 2;
  const short = withGap(readSummary(reply.text), account.charactersIn(longest));
  if (account.tokensIn(short.length) > Math.max(replaced, SMALL_SUMMARY)) return { error: LONGER };
  await port.summarized?.(reply.text);

  const before = account.tokens(besides);
  const division = "again" in found ? found : undefined;
  const kept = split?.keptIds ?? (division?.keepsNewest ? [...conversation.newest] : []);
  const text = renderContinuation(short, port.transcript(), split);
  const again = division?.again ?? [];
  const summary: NewEntry = {
    type: "user",
    uuid: ports.newId(),
    isCompactSummary: true,
    isVisibleInTranscriptOnly: true,
    message: { role: "user", content: again.length === 0 ? text : [{ type: "text", text }, ...again] },
  };
  const preface = await port.preface();
  if (split) conversation.become(await split.rebuild(summary, preface));
  else conversation.compact(summary, preface, { keepsNewest: division?.keepsNewest });
  const restored = fitting(
    await restore(ports),
    account.charactersIn(Math.min(room, Math.max(replaced, MUCH_READ)) / 2),
    ports,
  );
  for (const entry of restored) conversation.add(entry);

  const after = account.tokens(besides);
  const { compactions } = conversation;
  compactions.droppedTokens += Math.max(0, before - after);
  compactions.turns = 0;
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

const LEAST_ROOM = 500;
/** So much is read again after any compaction, if there is room. */
const MUCH_READ = 20_000;

/** How many tokens the summary and what is read again may have together, and how many what stays. */
function roomFor(account: Conversation["account"], rules: CompactionRules, besides: number): number {
  const tokens = account.tokensBesides(besides);
  return Math.max((fullFrom(rules, tokens) - tokens) / 2, LEAST_ROOM);
}

const AGAIN = "Read files again before you rely on what they contain.";

/** As much of what is read again as there is room for; short things first. */
function fitting(entries: readonly NewEntry[], most: number, { newId }: Ports): readonly NewEntry[] {
  let room = most;
  const chosen = new Set(
    entries
      .map((entry) => ({ entry, length: lengthOfEntry(entry) }))
      .toSorted((one, other) => one.length - other.length)
      .flatMap(({ entry, length }) => ((room -= length) >= 0 ? [entry] : [])),
  );
  return chosen.size === entries.length
    ? entries
    : [...entries.filter((each) => chosen.has(each)), reminder(AGAIN, newId())];
}

function lengthOfEntry(entry: NewEntry): number {
  if (entry.type === "attachment") return JSON.stringify(entry.rendered ?? []).length;
  return entry.type === "user" ? JSON.stringify(entry.message.content).length : 0;
}

/** From here on, the compaction must succeed: the conversation has changed. */
async function restore({ compaction, show, newId }: Ports & { readonly compaction: CompactionPort }) {
  try {
    return await compaction.restore();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const content = `Not everything could be restored after the compaction: ${why}`;
    await show({ type: "system", subtype: "informational", content, level: "warning" });
    return [reminder(AGAIN, newId())];
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
