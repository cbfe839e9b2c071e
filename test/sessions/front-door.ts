// What the session tests share: the flags of a stream, and short ways to read what came out of the program.

import type { Ended, RecordedRequest } from "@keelson/testkit";

/** Every message one line. */
export const STREAM = ["--output-format", "stream-json", "--verbose"] as const;
/** Messages both ways, as SDK clients start it. */
export const CHAT = [...STREAM, "--input-format", "stream-json"] as const;

export const prompt = (content: string | readonly object[], more: object = {}) => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...more,
});

export const control = (request_id: string, request: object) => ({ type: "control_request", request_id, request });

export const answer = (request_id: string, response: object) => ({
  type: "control_response",
  response: { subtype: "success", request_id, response },
});

/** `type`, or `system/subtype`. */
export const kindOf = ({ type, subtype }: any): string => (type === "system" ? `system/${subtype}` : type);

export const messagesOf = ({ messages }: Pick<Ended, "messages">, kind: string): readonly any[] =>
  messages.filter((message) => kindOf(message) === kind);

/** The one result of a run. */
export function resultOf(ended: Ended): any {
  const results = messagesOf(ended, "result");
  if (results.length === 1) return results[0];
  throw new Error(`Expected one result, found ${results.length}\n${ended.stdout.slice(-2000)}\n${ended.stderr}`);
}

/** Opens our own blocks before the first prompt: instructions and the date, and the lists of skills and agents. */
const OWN_BLOCK = /^<system-reminder>\n(?:As you answer|The following skills|The Agent tool can)/;

/** The messages of a request without our own blocks before the first prompt. */
export const spoken = ({ body }: RecordedRequest): readonly any[] =>
  body.messages.map((message: any) => ({
    ...message,
    content: message.content.filter(({ text }: any) => !OWN_BLOCK.test(text ?? "")),
  }));

/** What the model was told about its calls in this request: the blocks of the last message. */
export const told = (request: RecordedRequest): readonly any[] => spoken(request).at(-1).content;

/** The structured results clients saw, in order. */
export const toolUseResults = (ended: Pick<Ended, "messages">): readonly any[] =>
  messagesOf(ended, "user").flatMap((message) => ("tool_use_result" in message ? [message.tool_use_result] : []));
