// Asks the model for a summary. What it reads must fit into its window together with the request and the answer, and the
// server may know better than we do what fits: it is made shorter until the server accepts it.

import { blocksOf, type ModelMessage, type TextBlock } from "@keelson/protocol";
import { ModelError } from "../errors.ts";
import type { ModelRequest, SideReply } from "../ports.ts";
import { buildRequest, lengthOfParts, type RequestParts } from "../turn/request.ts";
import type { TokenAccount } from "./account.ts";
import { withoutResults } from "./cleared-results.ts";
import { oldResults } from "./old-results.ts";
import { excerptOf, withoutBulk } from "./shorten.ts";
import { withRequest } from "./split.ts";

export interface SummaryQuestion {
  /** The request for a summary. */
  readonly text: string;
  /** How many tokens the conversation has, as far as that is known. */
  readonly known: number;
  readonly account: TokenAccount;
  readonly parts: RequestParts;
  /** The conversation cannot continue as it is: some summary is better than none. It has about so many characters then. */
  readonly excerpt: number | undefined;
  ask(request: ModelRequest): Promise<SideReply>;
}

export type SummaryReply =
  | {
      readonly text: string;
      /** So many tokens the server is known to accept; infinitely many if it refused none. */
      readonly mostTokens: number;
    }
  | { readonly error: string };

const EMPTY = "summarization produced empty response";
const CUT = "the summary was cut off because it became too long";

/** Room for a summary. In small windows, a share of them. */
const ANSWER = 20_000;
const ANSWER_SHARE = 0.2;
/** With less room, the model is told how much it may write. */
const AMPLE = 8_000;
/** Each time the server refuses a text, the next one is half as long. */
const MOST_HALVINGS = 8;
const LEAST_CHARACTERS = 1_000;

interface Attempt {
  readonly parts: RequestParts;
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
  /** Sent even if it seems not to fit. */
  readonly isLast?: true;
}

/** Throws ModelError. */
export async function askForSummary(head: readonly ModelMessage[], question: SummaryQuestion): Promise<SummaryReply> {
  const { profile } = question.parts.model;
  const answer = Math.min(profile.maxTokens, ANSWER, Math.floor(profile.contextWindow * ANSWER_SHARE));
  let problem: ModelError | string = EMPTY;
  let accepted = Infinity;
  for (const { parts, messages, tokens, isLast } of attempts(head, question, answer)) {
    if (!isLast && tokens + answer > profile.contextWindow) continue;
    const most = Math.min(profile.maxTokens, Math.max(answer, profile.contextWindow - Math.ceil(tokens * 1.1)));
    const model = { ...parts.model, profile: { ...parts.model.profile, maxTokens: most } };
    try {
      const { text, stopReason } = await question.ask(buildRequest({ ...parts, model }, messages));
      const isCut = stopReason === "max_tokens";
      // Once the server refused something, we know what it accepts.
      if (problem instanceof ModelError) accepted = tokens + most;
      if (text.trim() !== "" && !isCut) return { text, mostTokens: accepted };
      if (text.trim() !== "" && isLast && question.excerpt !== undefined)
        return { text: `${text}\n[The summary was cut off here.]`, mostTokens: accepted };
      problem = isCut ? CUT : EMPTY;
      if (isLast) break;
      if (question.excerpt === undefined && !(isCut && most < profile.maxTokens)) break;
    } catch (error) {
      if (!(error instanceof ModelError) || error.kind !== "prompt_too_long") throw error;
      problem = error;
    }
  }
  if (question.excerpt !== undefined)
    return { text: `${EXCERPT}\n\n${excerptOf(head, question.excerpt)}`, mostTokens: accepted };
  if (problem instanceof ModelError) throw problem;
  return { error: problem };
}

const EXCERPT = "No summary could be written. These are excerpts of the conversation:";

/** From the whole conversation, which the provider has in its cache, to a few words of it. */
function* attempts(
  head: readonly ModelMessage[],
  { text, known, account, parts }: SummaryQuestion,
  answer: number,
): Generator<Attempt> {
  const estimate = (messages: readonly ModelMessage[], { system, tools }: RequestParts) =>
    account.tokensOf(messages.flatMap(({ content }) => blocksOf(content))) +
    account.tokensBesides(lengthOfParts({ ...parts, system, tools }));
  const whole = estimate(head, parts);
  // What is not estimated is counted; the newest reply may be in it, too.
  const off = whole === 0 ? 1 : Math.max(1, known / (whole + 1));
  const attempt = (messages: readonly ModelMessage[], own = parts): Attempt => {
    const asked = withRequest(messages, text);
    return { parts: own, messages: asked, tokens: estimate(asked, own) };
  };
  const first = attempt(head);
  yield { ...first, tokens: Math.ceil(Math.max(first.tokens, Math.min(known, first.tokens * off))) };

  const old = new Set(oldResults(head).ids);
  const cleared = old.size === 0 ? undefined : attempt(head.map((message) => withoutResults(message, old)));
  if (cleared) yield cleared;
  const plain = { ...parts, model: withoutThinking(parts.model) };
  const slim = attempt(withoutBulk(head), plain);
  if (slim.tokens < (cleared ?? first).tokens * WORTH_A_TRY) yield slim;

  const { contextWindow } = parts.model.profile;
  const system: readonly TextBlock[] =
    account.tokensBesides(lengthOfParts({ ...parts, tools: [] })) > contextWindow / 4 ? [] : parts.system;
  const bare = { ...plain, system, tools: [] };
  const request = answer >= AMPLE ? text : `${text}\n\n${briefly(answer)}`;
  const room = contextWindow - answer - estimate([{ role: "user", content: request }], bare);
  for (let halvings = 0; halvings <= MOST_HALVINGS; halvings++) {
    const most = Math.max(Math.floor((account.charactersIn(room) * 0.7) / 2 ** halvings), LEAST_CHARACTERS);
    const messages: readonly ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: `${OPENING}\n\n${excerptOf(head, most)}` },
          { type: "text", text: request },
        ],
      },
    ];
    yield { parts: bare, messages, tokens: estimate(messages, bare), isLast: true };
    if (most === LEAST_CHARACTERS) return;
  }
}

/** A smaller difference does not change what the server says. */
const WORTH_A_TRY = 0.9;

const OPENING = "This is a conversation between a user and an assistant that works with tools:";

const briefly = (tokens: number) =>
  `There is little room: leave out the analysis, and write at most ${Math.floor(tokens / 2 / 50) * 50} words.`;

/** Without the thinking in it, a conversation may no longer be continued with more of it. */
const withoutThinking = (model: RequestParts["model"]): RequestParts["model"] => ({
  ...model,
  profile: { ...model.profile, thinking: "none" },
});
