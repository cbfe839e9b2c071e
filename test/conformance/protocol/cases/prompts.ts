// What may be said on the input, and in which order it is answered.

import { expect } from "bun:test";
import { heard, init, kinds, ofKind, RESULT, result, results, turn, type Scenario } from "../scenario.ts";
import { SONNET } from "../../../models.ts";

const [ONE, TWO, THREE] = ["1", "2", "3"].map((digit) => `${digit.repeat(8)}-2222-4333-8444-555555555555`) as [
  string,
  string,
  string,
];
const LONG = "0123456789".repeat(150_000);

export const PROMPTS: readonly Scenario[] = [
  {
    name: "three prompts at once",
    says: [{ text: "one" }, { text: "two" }],
    steps: [{ say: "a" }, { say: "b", more: { uuid: TWO } }, { say: "c", more: { uuid: THREE } }, RESULT, RESULT],
    cases: [
      {
        name: "are two runs: the first, and those that waited for it",
        see: (seen) => results(seen).map((each) => each.result),
        is: ["one", "two"],
      },
      {
        name: "those that waited are one message to the model",
        see: ({ requests }) => requests[1].messages.at(-1).content.at(-1).text,
        is: "b\nc",
      },
      {
        name: "those that waited are all named by the reply and the result, the last one as its prompt",
        see: (seen) =>
          [ofKind(seen, "assistant")[1], results(seen)[1]].map(({ user_message_uuid, user_message_uuids }) => [
            user_message_uuid,
            user_message_uuids,
          ]),
        is: [
          [THREE, [TWO, THREE]],
          [THREE, [TWO, THREE]],
        ],
      },
      {
        name: "those that waited begin and end together",
        see: (seen) => ofKind(seen, "command_lifecycle").map(({ command_uuid: id, state }: any) => `${id[0]} ${state}`),
        is: ["2 queued", "3 queued", "2 started", "3 started", "2 completed", "3 completed"],
      },
    ],
  },
  {
    name: "three prompts, one after another",
    says: [{ text: "one" }, { text: "two" }, { text: "three" }],
    steps: [...turn("a"), ...turn("b"), ...turn("c")],
    cases: [
      {
        name: "are runs of their own, in order",
        see: (seen) => results(seen).map((each) => each.result),
        is: ["one", "two", "three"],
      },
      {
        name: "begin with init each",
        see: kinds,
        is: [1, 2, 3].flatMap(() => ["system/init", "assistant", "result"]),
      },
      {
        name: "are one session",
        see: ({ messages }) => new Set(messages.map(({ session_id }) => session_id)).size,
        is: 1,
      },
      {
        name: "are one conversation",
        see: ({ requests }) => requests[2].messages.map(({ role }: any) => role),
        is: ["user", "assistant", "user", "assistant", "user"],
      },
      {
        name: "cost more each time",
        see: (seen) => {
          const [first, , third] = results(seen).map(({ total_cost_usd: cost }) => cost);
          return [first > 0, Math.abs(third - 3 * first) < 1e-9];
        },
        is: [true, true],
      },
      {
        name: "are accounted one by one in usage, together in modelUsage",
        see: (seen) => {
          const { usage, modelUsage } = results(seen)[2];
          return [usage.output_tokens, modelUsage[SONNET].outputTokens];
        },
        is: [20, 60],
      },
    ],
  },
  {
    name: "a prompt with an id",
    says: [{ text: "hello" }],
    steps: turn("hi", { uuid: ONE }),
    cases: [
      {
        name: "is named by the first line that answers it and by the result",
        see: (seen) =>
          [ofKind(seen, "assistant")[0], result(seen)].map(({ user_message_uuid, user_message_uuids }) => [
            user_message_uuid,
            user_message_uuids,
          ]),
        is: [
          [ONE, [ONE]],
          [ONE, [ONE]],
        ],
      },
      {
        name: "is followed through its life",
        see: (seen) => ofKind(seen, "command_lifecycle").map(({ command_uuid, state }) => [command_uuid, state]),
        is: ["queued", "started", "completed"].map((state) => [ONE, state]),
      },
      {
        name: "begins before init and is completed after the result",
        see: kinds,
        is: ["command_lifecycle", "command_lifecycle", "system/init", "assistant", "result", "command_lifecycle"],
      },
    ],
  },
  {
    name: "a prompt without an id behind a command with one",
    says: [{ text: "hello" }],
    steps: [{ say: "/usage", more: { uuid: ONE } }, { until: { type: "result" } }, ...turn("hi")],
    cases: [
      {
        name: "is not taken for the command",
        see: (seen) => ofKind(seen, "assistant").at(-1).user_message_uuid,
        is: undefined,
      },
    ],
  },
  {
    name: "a prompt without an id",
    says: [{ text: "hello" }],
    steps: turn("hi"),
    cases: [{ name: "has no life to follow", see: (seen) => ofKind(seen, "command_lifecycle"), is: [] }],
  },
  {
    name: "a prompt of blocks",
    says: [{ text: "a dot" }],
    steps: [
      {
        say: [
          { type: "text", text: "what is this?" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
        ],
      },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "reaches the model as it is",
        see: (seen) => heard(seen, 1).map(({ type, text, source }) => [type, text ?? source.data]),
        is: [
          ["text", "what is this?"],
          ["image", "iVBORw0KGgo="],
        ],
      },
    ],
  },
  {
    name: "a prompt that asks nothing",
    says: [{ text: "now I know" }],
    steps: [...turn("for later", { shouldQuery: false }), ...turn("and?")],
    cases: [
      {
        name: "has an empty result",
        see: (seen) => {
          const [{ subtype, result: text, num_turns, is_error }] = results(seen);
          return { subtype, text, num_turns, is_error };
        },
        is: { subtype: "success", text: "", num_turns: 0, is_error: false },
      },
      { name: "has an init like any other", see: (seen) => ofKind(seen, "system/init").length, is: 2 },
      { name: "asks no model", see: ({ requests }) => requests.length, is: 1 },
      {
        name: "is heard with the next",
        see: ({ requests }) => JSON.stringify(requests[0].messages),
        is: expect.stringMatching(/for later[^]*and\?/),
      },
    ],
  },
  {
    name: "prompts in all spellings of a session",
    says: [{ text: "one" }, { text: "two" }],
    steps: [...turn("a", { session_id: "" }), ...turn("b", { session_id: "default" })],
    cases: [
      {
        name: "are the same session, whatever they call it",
        see: (seen) => results(seen).map(({ session_id }) => session_id === init(seen).session_id),
        is: [true, true],
      },
    ],
  },
  {
    name: "a slash nobody knows",
    says: [{ text: "what?" }],
    steps: turn("/no-such-command now"),
    cases: [
      {
        name: "is text for the model",
        see: (seen) => heard(seen, 1),
        is: [expect.objectContaining({ text: "/no-such-command now" })],
      },
    ],
  },
  {
    name: "characters of all kinds",
    says: [{ text: "π \u2028 🦑 \u0000 done" }],
    steps: turn("line\u2028separator\u2029 “quotes” 🦑 \t\n end"),
    cases: [
      {
        name: "reach the model unharmed",
        see: (seen) => heard(seen, 1)[0].text,
        is: "line\u2028separator\u2029 “quotes” 🦑 \t\n end",
      },
      { name: "come back unharmed", see: (seen) => result(seen).result, is: "π \u2028 🦑 \u0000 done" },
    ],
  },
  {
    name: "a prompt of more than a megabyte",
    says: [{ text: "long" }],
    steps: turn(LONG),
    cases: [
      { name: "is taken", see: (seen) => result(seen).result, is: "long" },
      { name: "reaches the model whole", see: (seen) => heard(seen, 1)[0].text.length, is: LONG.length },
    ],
  },
  {
    name: "prompts that wait while one runs",
    options: { includePartialMessages: true },
    // The last one is for clients that cannot take a prompt back.
    says: [{ text: ["one", " more"], hold: "go", holdAfter: "first_delta" }, { text: "two" }, { text: "three" }],
    steps: [
      { say: "first" },
      { until: { type: "stream_event", event: { type: "content_block_delta" } } },
      { say: "second", more: { uuid: TWO } },
      { say: "third", more: { uuid: THREE } },
      { until: { type: "command_lifecycle", command_uuid: THREE, state: "queued" } },
      { ask: { subtype: "cancel_async_message", message_uuid: TWO }, as: "taken back" },
      { ask: { subtype: "cancel_async_message", message_uuid: TWO }, as: "again" },
      { ask: { subtype: "mcp_status" }, as: "meanwhile" },
      { release: "go" },
      { until: { type: "result" } },
      { until: { type: "result" } },
    ],
    cases: [
      {
        name: "are taken back once",
        only: "pipe",
        see: ({ replies }) => replies["taken back"],
        is: { subtype: "success", response: { cancelled: true } },
      },
      {
        name: "cannot be taken back twice",
        only: "pipe",
        see: ({ replies }) => replies["again"],
        is: { subtype: "success", response: { cancelled: false } },
      },
      {
        name: "taken back are said to be cancelled",
        only: "pipe",
        see: (seen) =>
          ofKind(seen, "command_lifecycle")
            .filter((each) => each.command_uuid === TWO)
            .map(({ state }) => state),
        is: ["queued", "cancelled"],
      },
      {
        name: "taken back are told before the answer",
        only: "pipe",
        see: ({ order }) => order.slice(order.indexOf("reply cancel_async_message 1") - 1).slice(0, 2),
        is: ["command_lifecycle", "reply cancel_async_message 1"],
      },
      {
        name: "taken back leave no trace",
        only: "pipe",
        see: ({ requests }) => JSON.stringify(requests[1].messages).includes("second"),
        is: false,
      },
      {
        name: "taken back leave the queue as those do that ran",
        only: "pipe",
        see: ({ entries }) =>
          entries
            .filter(({ type }) => type === "queue-operation")
            .map(({ operation }) => operation)
            .sort(),
        is: [...Array(3).fill("dequeue"), ...Array(3).fill("enqueue")],
      },
      {
        name: "do not hold up requests",
        about: { subtype: "mcp_status" },
        see: ({ replies }) => replies["meanwhile"],
        is: { subtype: "success", response: { mcpServers: [] } },
      },
    ],
  },
  {
    name: "replay",
    only: "pipe",
    options: { extraArgs: { "replay-user-messages": null } },
    says: [{ text: "ok" }],
    steps: [
      { line: { type: "control_response", response: { subtype: "success", request_id: "nobody", response: {} } } },
      ...turn("go", { uuid: ONE }),
    ],
    cases: [
      {
        name: "repeats each prompt as it was sent",
        see: (seen) => ofKind(seen, "user"),
        is: [
          expect.objectContaining({
            message: { role: "user", content: "go" },
            isReplay: true,
            uuid: ONE,
            parent_tool_use_id: null,
          }),
        ],
      },
      { name: "repeats answers of the client", see: ({ order }) => order.includes("reply nobody"), is: true },
    ],
  },
  {
    name: "no replay",
    says: [{ text: "ok" }],
    steps: turn("go"),
    cases: [{ name: "repeats nothing", see: (seen) => ofKind(seen, "user"), is: [] }],
  },
  {
    name: "empty lines and things unknown",
    only: "pipe",
    says: [{ text: "ok" }],
    steps: [
      { line: "\n\n  \n" },
      { line: { type: "keep_alive" } },
      { line: { type: "from_the_future", data: [1] } },
      { line: { type: "update_environment_variables", variables: { FOO: "bar" } } },
      { line: { type: "control_cancel_request", request_id: "nobody" } },
      ...turn("go"),
    ],
    cases: [
      {
        name: "are passed over without a word",
        see: ({ order, end }) => [order, end.stderr],
        is: [["system/init", "assistant", "result"], ""],
      },
    ],
  },
  {
    name: "a line that is no JSON",
    only: "pipe",
    steps: [{ line: "{ not json\n" }],
    cases: [
      {
        name: "ends the program, which says why",
        see: ({ end }) => [end.code, end.stderr],
        is: [1, expect.stringContaining("Error parsing streaming input line")],
      },
      { name: "has no result", see: ({ order }) => order, is: [] },
    ],
  },
  {
    name: "a prompt in somebody else's name",
    only: "pipe",
    steps: [{ line: { type: "user", message: { role: "assistant", content: "x" } } }],
    cases: [
      {
        name: "ends the program, which says why",
        see: ({ end }) => [end.code, end.stderr],
        is: [1, expect.stringContaining("Expected message role 'user', got 'assistant'")],
      },
    ],
  },
];
