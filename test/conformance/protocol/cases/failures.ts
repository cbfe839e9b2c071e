// A model that refuses, says nothing, never finishes or breaks off: what clients see of it.

import { expect } from "bun:test";
import { kinds, ofKind, result, turn, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const last = (seen: any) => ofKind(seen, "assistant").at(-1);
const ending = (seen: any) => {
  const { subtype, is_error, stop_reason, terminal_reason } = result(seen);
  return { subtype, is_error, stop_reason, terminal_reason };
};
/** What the published types allow. */
const ERRORS = expect.stringMatching(
  /^(authentication_failed|billing_error|rate_limit|overloaded|invalid_request|model_not_found|server_error|unknown|max_output_tokens)$/,
);
const streamed = (seen: any) => ofKind(seen, "stream_event").map(({ event }) => event.type);

export const FAILURES: readonly Scenario[] = [
  {
    name: "a model that refuses",
    says: [{ text: "I can", stopReason: "refusal" }],
    steps: turn("something bad"),
    cases: [
      {
        name: "is a line of its own",
        see: (seen) => ({ ...ofKind(seen, "system/model_refusal_no_fallback")[0], request_id: undefined }),
        is: {
          type: "system",
          subtype: "model_refusal_no_fallback",
          original_model: SONNET,
          request_id: undefined,
          api_refusal_category: null,
          api_refusal_explanation: null,
          refused_user_message_uuid: expect.any(String),
          content: "",
          uuid: expect.any(String),
          session_id: expect.any(String),
        },
      },
      {
        name: "is followed by a message that no model made",
        see: (seen) => {
          const { error, is_api_error_message, message } = last(seen);
          return { error, is_api_error_message, model: message.model };
        },
        is: { error: "invalid_request", is_api_error_message: true, model: "<synthetic>" },
      },
      {
        name: "ends in an error that is called success",
        see: (seen) => ({ ...ending(seen), text: result(seen).result }),
        is: {
          subtype: "success",
          is_error: true,
          stop_reason: "refusal",
          terminal_reason: "api_error",
          text: expect.stringMatching(/^API Error: /),
        },
      },
    ],
  },
  {
    name: "a reply that never comes to an end",
    says: Array.from({ length: 4 }, () => ({ text: "part", stopReason: "max_tokens" })),
    steps: turn("go"),
    cases: [
      { name: "is continued three times", see: ({ requests }) => requests.length, is: 4 },
      {
        name: "is a kind of error clients can tell",
        see: (seen) => [last(seen).error, last(seen).is_api_error_message],
        is: ["max_output_tokens", true],
      },
      {
        name: "ends in an error",
        see: (seen) => ({ ...ending(seen), text: result(seen).result }),
        is: expect.objectContaining({
          is_error: true,
          terminal_reason: "api_error",
          text: expect.stringMatching(/^API Error: .*CLAUDE_CODE_MAX_OUTPUT_TOKENS/),
        }),
      },
    ],
  },
  {
    name: "a request that is too large",
    says: [{ status: 413, message: "too large", headers: { "request-id": "req_7" } }],
    steps: turn("go"),
    cases: [
      { name: "has an error of the published list", see: (seen) => last(seen).error, is: ERRORS },
      {
        name: "begins with words that clients look for",
        see: (seen) => result(seen).result,
        is: expect.stringMatching(/^Prompt is too long/),
      },
      { name: "names the request", see: (seen) => last(seen).request_id, is: "req_7" },
    ],
  },
  {
    name: "a key that is refused",
    says: [{ status: 401, message: "invalid x-api-key" }],
    steps: turn("go"),
    cases: [
      {
        name: "begins with words that clients look for",
        see: (seen) => result(seen).result,
        is: "Failed to authenticate. API Error: 401 invalid x-api-key",
      },
    ],
  },
  {
    name: "a reply without a word",
    says: [{ text: " \n" }, { text: "Here I am." }],
    steps: turn("go"),
    cases: [
      {
        name: "is not shown; the model is asked once more",
        see: kinds,
        is: ["system/init", "user", "assistant", "result"],
      },
      {
        name: "is asked for by a line that no one typed",
        see: (seen) => ofKind(seen, "user").map(({ isSynthetic }) => isSynthetic),
        is: [true],
      },
      { name: "is not sent back", see: ({ requests }) => roles(requests[1]), is: ["user"] },
      { name: "does not matter in the end", see: (seen) => result(seen).result, is: "Here I am." },
    ],
  },
  {
    name: "a model that has nothing to say",
    says: [{ text: "" }, { text: "" }],
    steps: turn("go"),
    cases: [
      { name: "is asked twice", see: ({ requests }) => requests.length, is: 2 },
      {
        name: "ends well all the same",
        see: (seen) => [result(seen).subtype, result(seen).is_error, result(seen).result],
        is: ["success", false, ""],
      },
    ],
  },
  {
    name: "a stream that breaks off and starts over",
    options: { includePartialMessages: true },
    env: { CLAUDE_CODE_MAX_RETRIES: "1" },
    says: [{ text: "half", errorAfter: { after: "first_delta", type: "overloaded_error" } }, { text: "whole" }],
    steps: turn("go"),
    cases: [
      {
        name: "has an end for every beginning",
        see: streamed,
        is: [
          ...["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_stop"],
          ...["message_start", "content_block_start", "content_block_delta", "content_block_stop"],
          ...["message_delta", "message_stop"],
        ],
      },
      {
        name: "is said once",
        see: (seen) => ofKind(seen, "assistant").map(({ message }) => message.content[0].text),
        is: ["whole"],
      },
    ],
  },
];

const roles = ({ messages }: any) => messages.map(({ role }: any) => role);
