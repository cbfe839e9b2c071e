// Asks a small model about a web page, without tools. The page is data: whatever it says, the model only answers.

import {
  ModelError,
  ToolError,
  type ModelChoice,
  type ModelProfile,
  type ModelRequest,
  type ToolContext,
} from "@keelson/engine";
import { withoutThinking } from "../hooks/handlers/condition.ts";
import { sendSideRequest } from "../model/side-request.ts";
import { smallModel } from "../model/small-model.ts";
import type { Storage } from "../session/storage.ts";
import system from "./extract.md" with { type: "text" };

/** How much of a page is read at once, in characters; less if the model's window is small. */
const MAX_PAGE = 100_000;
const MIN_PAGE = 2_000;
const MAX_ANSWER_TOKENS = 8_192;

export interface PageToRead {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** The page is longer than what was read of it. */
  readonly cut: boolean;
}

interface PieceAnswer {
  readonly answer: string;
  /** Where the part of the page ends that was read. */
  readonly end: number;
}

/** Reads the text from `offset`. Throws ToolError. */
export async function askAboutPage(
  page: PageToRead & { readonly offset: number },
  prompt: string,
  storage: Storage,
  { signal, charge, guard }: Pick<ToolContext, "signal" | "charge" | "guard">,
): Promise<PieceAnswer> {
  const model = withoutThinking(await smallModel(storage));
  const end = page.offset + pieceLength(model);
  const piece = { ...page, text: page.text.slice(page.offset, end) };
  const request = pageRequest(piece, prompt, model, storage.newId());
  const { cost, now } = storage;
  const charged = charge ?? ((...usage) => cost.charge(...usage));
  try {
    const answer = await sendSideRequest({
      model: { provider: guard?.(model.provider) ?? model.provider },
      request,
      signal,
      charge: charged,
      now,
    });
    if (answer.trim() !== "") return { answer, end };
    throw new ToolError(`${model.profile.id} gave no answer about the page`);
  } catch (error) {
    if (!(error instanceof ModelError) || signal.aborted) throw error;
    throw new ToolError(`The page was fetched, but the request to ${model.profile.id} failed: ${error.message}`);
  }
}

/** Tokens are rarely shorter than two characters; a part of the window is for the question and the answer. */
function pieceLength({ profile }: ModelChoice): number {
  return Math.max(Math.min(MAX_PAGE, profile.contextWindow * 2 - 4 * answerTokens(profile)), MIN_PAGE);
}

const answerTokens = ({ maxTokens, contextWindow }: ModelProfile) =>
  Math.min(maxTokens, MAX_ANSWER_TOKENS, Math.ceil(contextWindow / 4));

function pageRequest(page: PageToRead, prompt: string, model: ModelChoice, id: string): ModelRequest {
  const { profile, effort, thinkingTokens, metadata, betas } = model;
  const isQuiet = profile.thinking === "none" || thinkingTokens === 0;
  const text = [pageBlock(page, id), `Answer from this page only:\n\n${prompt}`].join("\n\n");
  return {
    model: profile.id,
    max_tokens: isQuiet ? answerTokens(profile) : profile.maxTokens,
    system: [{ type: "text", text: system.trim() }],
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
    ...(profile.thinking !== "none" && isQuiet ? { thinking: { type: "disabled" } } : {}),
    ...(profile.effort ? { output_config: { effort: effort ?? "high" } } : {}),
    ...(metadata ? { metadata } : {}),
    betas,
  };
}

/** The id is new for each request, so a page cannot write the line that ends it. */
function pageBlock({ url, title, text, cut }: PageToRead, id: string): string {
  const about = [
    `address: ${url}`,
    ...(title === "" ? [] : [`title: ${title.slice(0, 500)}`]),
    ...(cut ? ["length: the page is too large to be read to its end; this is from its beginning"] : []),
  ];
  return [`----- web page ${id} -----`, ...about, "", text, `----- end of web page ${id} -----`].join("\n");
}
