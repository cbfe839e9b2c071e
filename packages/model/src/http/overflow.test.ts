import { expect, test } from "bun:test";
import { isOverflow, outputLimit, roomForOutput } from "./overflow.ts";

test.each([
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "the request exceeds the available context size (4096 tokens), try increasing it",
  "exceed_context_size_error",
  "Context size has been exceeded.",
  "You passed 5000 input tokens, but the context length is only 4096 tokens",
  "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with 4096",
  "The number of tokens to keep from the initial prompt is greater than the context length",
  "prompt too long; exceeded max context length by 12 tokens",
  "Please reduce the length of the messages or completion.",
  "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "Input is too long for requested model.",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
  "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]",
  "Prompt exceeds max length",
  "invalid params, context window exceeds limit",
  "model_context_window_exceeded",
  "Total tokens of image and text exceed max message tokens",
  "prompt token count of 140000 exceeds the limit of 128000",
  "Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.",
  "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
  "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
  "Input length exceeds maximum allowed input length of 40960 tokens.",
  "Prompt has 5000 tokens, but the configured context size is 4096 tokens",
  "Too many input tokens. Max input tokens: 8192, request input token count: 9000",
  "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
  "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000 `inputs` tokens and 200 `max_new_tokens`",
  "Input validation error: `inputs` must have less than 4095 tokens. Given: 4500",
  "Request body too large for gpt-4o model. Max size: 8000 tokens.",
])("isOverflow() recognizes %j", (text) => {
  expect(isOverflow(text)).toBe(true);
});

test.each([
  "Too many tokens, please wait before trying again.",
  "Rate limit reached",
  "Invalid value for max_tokens",
  "max_tokens exceeds the limit of 8192",
  "Image exceeds the maximum size of 5 MB",
  "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760",
  "The number of tools exceeds the limit of 128",
])("isOverflow() does not mistake %j", (text) => {
  expect(isOverflow(text)).toBe(false);
});

test.each([
  [
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (3000 in the messages, 2000 in the completion). Please reduce the length of the messages or completion.",
    1096,
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 1200 input tokens (32000 > 8192 - 1200).",
    6992,
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (100000 of text input, 8000 of tool input, 32000 in the output).",
    23_072,
  ],
  ["This model's maximum context length is 4096 tokens. However, your request has 4090 input tokens.", undefined],
  ["This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.", undefined],
  ["maximum context length", undefined],
])("roomForOutput() tells how much a shorter answer may use: %j", (text, room) => {
  expect(roomForOutput(text, 32_000)).toBe(room);
});

test.each([
  ["max_tokens is too large: 32000. This model supports at most 16384 completion tokens", 16_384],
  ["The maximum tokens you requested exceeds the model limit of 8192. Try again with a lower value than 8192.", 8_192],
  ["#/maxTokens: 32000 is not less or equal to 10000, please reformat your input and try again.", 10_000],
  ["Invalid value for max_tokens", undefined],
])("outputLimit() reads the limit in %j", (text, limit) => {
  expect(outputLimit(text, 32_000)).toBe(limit);
});
