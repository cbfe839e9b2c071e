// Model requests outside the conversation: they may see it but do not change it. Their cost is counted.

import { buildRequest, ModelError, requestParts } from "@keelson/engine";
import { asReminder, blocksOf, isToolUse, type ModelMessage } from "@keelson/protocol";
import type { Cost } from "../../model/cost.ts";
import { sendSideRequest } from "../../model/side-request.ts";
import { done, textIn, type ControlHandler } from "../reply.ts";
import type { ControlTargets } from "../targets.ts";

export const sideQuestion: ControlHandler<"side_question"> = async (request, targets, { id, signal }) => {
  const question = textIn(request, "question");
  await targets.show({ type: "system", subtype: "control_request_progress", request_id: id, status: "started" });
  const text = `${question}\n\n${asReminder(ASIDE)}`;
  const response = await askModel(targets, withQuestion(targets.conversation(), text), targets.system(), signal);
  return done({ response, synthetic: false });
};

const ASIDE =
  "This is a question beside the conversation. Answer it in text, without tools; it will not be remembered.";

const LONGEST_TITLE = 80;

export const generateSessionTitle: ControlHandler<"generate_session_title"> = async (request, targets, { signal }) => {
  const description = textIn(request, "description").slice(0, 10_000);
  const system = [
    "You name conversations. Answer with a title of three to seven words in sentence case, and nothing else.",
  ];
  const answer = await askModel(targets, [{ role: "user", content: description }], system, signal).catch(noTitle);
  const title = answer
    .trim()
    .split("\n")[0]!
    .replace(/^["'#\s]+|["'.\s]+$/g, "");
  if (title === "" || title.length > LONGEST_TITLE) return done({ title: null });
  if (request.persist === true) targets.rename(title);
  return done({ title });
};

/** If the model fails, the session keeps its title. */
function noTitle(error: unknown): string {
  if (error instanceof ModelError) return "";
  throw error;
}

async function askModel(
  targets: ControlTargets,
  messages: readonly ModelMessage[],
  system: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const model = targets.model();
  const request = buildRequest(requestParts(model, system, []), messages);
  const { cost, now } = targets;
  const charge: Cost["charge"] = (...booked) => cost.charge(...booked);
  return sendSideRequest({ model, request, signal, charge, now });
}

/** The conversation without a trailing unanswered tool call, followed by the question. */
function withQuestion(conversation: readonly ModelMessage[], question: string): readonly ModelMessage[] {
  const open = conversation.at(-1);
  const isUnanswered = open?.role === "assistant" && blocksOf(open.content).some(isToolUse);
  const past = isUnanswered ? conversation.slice(0, -1) : conversation;
  const last = past.at(-1);
  const asked = { type: "text" as const, text: question };
  if (last?.role !== "user") return [...past, { role: "user", content: [asked] }];
  return [...past.slice(0, -1), { role: "user", content: [...blocksOf(last.content), asked] }];
}
