// Answers to questions of a run: what they may say, and who may say it. Whoever may answer may allow a call as it was asked about, or
// deny it. Only admins may decide what else runs: tools that read and edit files run as the user of the worker, in no sandbox.

import { isDeepStrictEqual } from "node:util";
import { isObject } from "@keelson/protocol";
import { HttpRefusal, type SignedDevice } from "@keelson/web";
import type { RunQuestion } from "../records/run.ts";
import { wrongField } from "./api-error.ts";
import { time } from "./shown.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The answer as it is kept. Throws a HttpRefusal. */
export function readRunAnswer(request: Fields, given: Fields, { role }: Pick<SignedDevice, "role">): Fields {
  if (request["subtype"] === "elicitation") return formReply(given);
  const reply = permissionReply(given);
  if (role === "admin" || reply["behavior"] === "deny") return reply;
  const problem = onlyAdmins(request) ?? replacedInput(request, reply["updatedInput"]);
  if (problem !== undefined) throw new HttpRefusal("permission", problem);
  return reply;
}

/** Why others may only deny this call; undefined if they may allow it. */
function onlyAdmins(request: Fields): string | undefined {
  // What the program does not say about a call is not known to be harmless.
  if (request["subtype"] !== "can_use_tool") return "Only an admin can answer this";
  if (request["blocked_path"] !== undefined)
    return "Only an admin can allow this call: it reaches outside the checkout of the run";
  if (request["decision_reason_type"] === "sandboxOverride")
    return "Only an admin can allow this call: it would run outside the sandbox";
  return undefined;
}

function replacedInput({ tool_name: tool, input }: Fields, updated: unknown): string | undefined {
  if (updated === undefined || isDeepStrictEqual(updated, input)) return undefined;
  if (tool !== "AskUserQuestion")
    return "Only an admin can change the input of a call; allow it as it is, or deny it and say what to do instead";
  // Its answer comes in its input.
  return isDeepStrictEqual(withoutAnswer(updated), withoutAnswer(input))
    ? undefined
    : "Only an admin can change what was asked; answer it, or deny it";
}

function withoutAnswer(input: unknown): unknown {
  if (!isObject(input)) return input;
  const { answers: _, annotations: __, ...asked } = input;
  return asked;
}

/** Rules for later cannot come with an answer: a run has those of its routine. */
function permissionReply(given: Fields): Fields {
  const { behavior, message = "Denied by a person", updated_input: updated, ...others } = given;
  noOthers(others);
  if (behavior === "deny") {
    if (typeof message !== "string" || message === "") throw wrongField("message", "must be a text");
    return { behavior, message };
  }
  if (behavior !== "allow") throw wrongField("behavior", "must be allow or deny");
  if (updated !== undefined && !isObject(updated)) throw wrongField("updated_input", "must be an object");
  return { behavior, ...(updated === undefined ? {} : { updatedInput: updated }) };
}

function formReply(given: Fields): Fields {
  const { action, content, ...others } = given;
  noOthers(others);
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    throw wrongField("action", "must be accept, decline or cancel");
  if (content !== undefined && !isObject(content)) throw wrongField("content", "must be an object");
  return { action, ...(content === undefined ? {} : { content }) };
}

function noOthers(others: Fields): void {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrongField(unknown, "not known here");
}

export const shownQuestion = ({ id, request, askedAt, expiresAt, answeredAt, answeredBy, answer }: RunQuestion) => ({
  id,
  request,
  only_admins: request["subtype"] === "elicitation" ? null : (onlyAdmins(request) ?? null),
  asked_at: time(askedAt),
  expires_at: time(expiresAt),
  answered_at: time(answeredAt),
  answered_by: answeredBy,
  answer,
});
