// One question of the session to the user of an editor, who may be asked several things for it. What cannot be asked, or gets
// no proper answer, is a no.

import type { SessionQuestion } from "@keelson/client";
import type { QuestionContext } from "../questions/question.ts";
import { questionFor } from "../questions/questions.ts";
import type { RpcConnection } from "../rpc/connection.ts";

export interface EditorAskOptions {
  readonly connection: RpcConnection;
  readonly context: QuestionContext;
  /** The user approved this call. */
  allowed(callId: string): void;
  /** The user is sent to a page, which a server says is done later. */
  sentToPage(elicitationId: string): void;
}

export async function askEditor(question: SessionQuestion, options: EditorAskOptions): Promise<void> {
  const { request, signal } = question;
  const { connection, context, allowed, sentToPage } = options;
  let asked = questionFor(request, context);
  if (asked === undefined) return question.refuse(`An editor cannot answer ${request.subtype}`);
  while ("ask" in asked) {
    const { method, params } = asked.ask;
    if (method === "elicitation/create" && params.mode === "url") sentToPage(params.elicitationId);
    const result = await connection.request(method, params, signal).catch(() => undefined);
    // Someone else has answered.
    if (signal.aborted) return question.leave();
    asked = asked.ask.answer(result);
  }
  question.answer(asked.reply);
  const isAllowed = request.subtype === "can_use_tool" && asked.reply["behavior"] === "allow";
  if (isAllowed && typeof request.tool_use_id === "string") allowed(request.tool_use_id);
}
