// Makes room in a conversation that may not fit into the context window: counts it, removes old tool results, or has it
// summarized.

import type { NewEntry } from "@keelson/protocol";
import type { Conversation } from "../turn/conversation.ts";
import type { CompactionPort, Ports } from "../ports.ts";
import { buildRequest, lengthOfParts, type RequestParts } from "../turn/request.ts";
import type { Ending } from "../run/result.ts";
import { compactConversation, TOO_FEW } from "./compact.ts";
import { oldResults, type OldResults } from "./old-results.ts";
import { divide, newestPrompt } from "./split.ts";
import { fullFrom, type CompactionRules } from "./when.ts";

type CompactingPorts = Ports & { readonly compaction: CompactionPort };

/** Full again after so few requests, so often in a row: compacting does not help. */
const SOON = 3;
const MOST_REFILLS = 3;
/** Removing results is enough if it leaves at most this share of the threshold. */
const ROOMY = 0.7;
/** Counting is worth a request only if the estimate could be wrong by this much. */
const UNCERTAIN = 2_000;

/** Resolves to the end of the run if there is no room. */
export async function makeRoom(
  conversation: Conversation,
  ports: CompactingPorts,
  parts: RequestParts,
  rules: CompactionRules,
): Promise<Ending | undefined> {
  const { threshold, limit } = rules;
  const { account } = conversation;
  const besides = account.tokensBesides(lengthOfParts(parts));
  if (conversation.account.hasTooMuchMedia) await removeResults(conversation, ports, { mediaOnly: true });
  const least = fullFrom(rules, besides);
  const used = await count(conversation, ports, parts, least);
  if (used < least) return undefined;
  if (threshold === undefined) {
    // Just compacted, or with nothing to compact, the server may know better than our estimate how much fits. What a reply
    // reports may have been reasoning, which is not sent again.
    const isJustCompacted = account.known === 0 && conversation.compactions.turns <= 1;
    if (isJustCompacted || (account.given < limit && !divide(conversation.messages, { account, most: 0 })))
      return undefined;
    await ports.show({ type: "system", subtype: "informational", content: BLOCKED, level: "warning" });
    return tooLong("blocking_limit");
  }
  const prompt = newestPrompt(conversation.messages);
  const asked = prompt ? account.tokensOf([prompt]) : 0;
  if (asked + besides >= limit) return { reason: "prompt_too_long", text: promptTooLong(asked, besides, limit) };
  if (used - freedBy(oldResults(conversation.messages), conversation) <= least * ROOMY) {
    await removeResults(conversation, ports);
    return undefined;
  }
  const { compactions } = conversation;
  compactions.refills = compactions.turns <= SOON ? compactions.refills + 1 : 0;
  if (compactions.refills >= MOST_REFILLS) return { reason: "rapid_refill_breaker", text: REFILLED };
  const problem = await summarize(conversation, ports, parts);
  // With so little in it, the server may know better than we do how much fits.
  if (problem === undefined || problem === TOO_FEW || used < limit) return undefined;
  return tooLong("prompt_too_long");
}

/** Resolves to the problem, if there was one. */
export async function summarize(
  conversation: Conversation,
  ports: CompactingPorts,
  parts: RequestParts,
): Promise<string | undefined> {
  const done = await compactConversation(conversation, ports, { trigger: "auto", parts });
  if ("error" in done) return done.error;
  await ports.record(done.entries);
  return undefined;
}

async function count(
  { account, messages }: Conversation,
  { model, signal }: Ports,
  parts: RequestParts,
  least: number,
): Promise<number> {
  const besides = lengthOfParts(parts);
  const used = account.tokens(besides);
  const estimated = account.estimated(besides);
  if (estimated < UNCERTAIN || used - estimated >= least || !model.provider.countTokens) return used;
  return (await model.provider.countTokens(buildRequest(parts, messages), signal)) ?? used;
}

const freedBy = ({ characters, mediaTokens }: OldResults, { account }: Conversation) =>
  account.tokensIn(characters) + mediaTokens;

async function removeResults(
  conversation: Conversation,
  ports: Ports,
  options: { readonly mediaOnly?: boolean } = {},
): Promise<void> {
  const { messages, account } = conversation;
  const old = oldResults(messages, options);
  if (old.ids.length === 0) return;
  const tokens = freedBy(old, conversation);
  const mark: NewEntry = {
    type: "system",
    uuid: ports.newId(),
    subtype: "microcompact_boundary",
    content: "Old tool results removed",
    level: "info",
    isMeta: false,
    microcompactMetadata: { trigger: "auto", tokensSaved: tokens, compactedToolIds: old.ids },
  };
  await ports.record([mark]);
  conversation.add(mark);
  account.removed({ ...old, tokens });
}

const tooLong = (reason: "blocking_limit" | "prompt_too_long"): Ending => ({ reason, text: "Prompt is too long" });

const BLOCKED =
  "The conversation fills the context window, and automatic compaction is off. Use /compact to summarize it, or start a new conversation";

const promptTooLong = (prompt: number, besides: number, limit: number) =>
  prompt < besides
    ? `Prompt is too long · The system prompt and the tools take about ${besides} of the ${limit} tokens that fit. Offer fewer tools, or use a model with a larger context window`
    : `Prompt is too long · It has about ${prompt} tokens, and ${Math.max(0, limit - besides)} fit. Put it into a file that can be read in parts, or use a model with a larger context window`;

const REFILLED =
  "The conversation was compacted several times in a row and is full again each time. Start a new conversation, read less at once, or use a model with a larger context window";
