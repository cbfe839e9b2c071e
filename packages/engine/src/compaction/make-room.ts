// Makes room in a conversation that may not fit into the context window: counts it, removes old tool results, or has it
// summarized.

import type { NewEntry } from "@keelson/protocol";
import type { Conversation } from "../turn/conversation.ts";
import type { CompactionPort, Ports } from "../ports.ts";
import { buildRequest, lengthOfParts, type RequestParts } from "../turn/request.ts";
import type { Ending } from "../run/result.ts";
import { compactConversation, TOO_FEW } from "./compact.ts";
import { oldResults, type OldResults } from "./old-results.ts";
import type { CompactionRules } from "./when.ts";

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
  { threshold, limit }: CompactionRules,
): Promise<Ending | undefined> {
  if (conversation.account.hasTooMuchMedia) await removeResults(conversation, ports, { mediaOnly: true });
  const least = Math.min(threshold ?? Infinity, limit);
  const used = await count(conversation, ports, parts, least);
  if (used < least) return undefined;
  if (threshold === undefined) return tooLong("blocking_limit");
  if (used - freedBy(oldResults(conversation.messages), conversation) <= threshold * ROOMY) {
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
  conversation.compactions.turns = 0;
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

const REFILLED =
  "The conversation was compacted several times in a row and is full again each time. Start a new conversation, read less at once, or use a model with a larger context window";
