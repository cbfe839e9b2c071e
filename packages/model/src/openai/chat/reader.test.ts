import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { StreamEvent } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import { CHAT_NAMES, fitNames } from "../../fit/names.ts";
import { openThinking } from "../../thinking-envelope.ts";
import { ChatReader } from "./reader.ts";

const tools = [{ name: "Read" }, { name: "Bash" }];

interface ReadOptions {
  readonly contextWindow?: number;
  readonly input?: number;
  readonly taken?: readonly string[];
  readonly isDone?: boolean;
}

/** Everything that the chunks say, with the signatures of thinking left out. */
function read(chunks: readonly object[], options: ReadOptions = {}) {
  const { contextWindow = 100_000, input = 10, taken = [], isDone = true } = options;
  const reader = new ChatReader({
    model: "m",
    names: fitNames(tools, CHAT_NAMES),
    ids: new Set(taken),
    contextWindow,
    estimateInput: () => input,
  });
  const events = chunks.flatMap((chunk) => reader.push(chunk));
  if (isDone) reader.done();
  return summary([...events, ...reader.end()]);
}

function summary(events: readonly StreamEvent[]) {
  const blocks: any[] = [];
  let open = -1;
  let stop: string | null = null;
  let usage: object | undefined;
  for (const event of events) {
    if (event.type === "content_block_start") {
      expect(open).toBe(-1);
      expect(event.index).toBe(blocks.length);
      open = event.index;
      blocks.push({ ...event.content_block, ...(event.content_block.type === "tool_use" ? { input: "" } : {}) });
    } else if (event.type === "content_block_delta") {
      expect(event.index).toBe(open);
      const { delta } = event;
      const block = blocks[open];
      if (delta.type === "text_delta") block.text += delta.text;
      if (delta.type === "thinking_delta") block.thinking += delta.thinking;
      if (delta.type === "signature_delta") block.signature += delta.signature;
      if (delta.type === "input_json_delta") block.input += delta.partial_json;
    } else if (event.type === "content_block_stop") open = -1;
    else if (event.type === "message_delta") {
      stop = event.delta.stop_reason;
      usage = event.usage;
    }
  }
  const shown = blocks.map((block) => {
    if (block.type === "text") return block.text;
    if (block.type === "thinking") return { thinking: block.thinking };
    return [block.name, parsedOr(block.input)];
  });
  return { shown, blocks, stop, usage };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const delta = (fields: object, finish_reason: string | null = null) => ({
  id: "c1",
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const pieces = (...tool_calls: object[]) => delta({ tool_calls });
const end = (reason: string | null = "tool_calls") => delta({}, reason);
const fn = (name?: unknown, args?: unknown) => ({
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});

describe("calls of servers with habits", () => {
  test.each<[string, object[], unknown[]]>([
    [
      "pieces as the vendor sends them",
      [
        pieces({ index: 0, id: "a", type: "function", ...fn("Read", "") }),
        pieces({ index: 0, ...fn(undefined, '{"p":') }),
        pieces({ index: 0, ...fn(undefined, "1}") }),
        pieces({ index: 1, id: "b", type: "function", ...fn("Bash", "") }),
        pieces({ index: 1, ...fn(undefined, "{}") }),
      ],
      [
        ["Read", { p: 1 }],
        ["Bash", {}],
      ],
    ],
    [
      "no index",
      [
        pieces({ id: "a", ...fn("Read", "") }),
        pieces(fn(undefined, '{"p":1}')),
        pieces({ id: "b", ...fn("Bash", "{}") }),
      ],
      [
        ["Read", { p: 1 }],
        ["Bash", {}],
      ],
    ],
    [
      "an index that is always 0",
      [
        pieces({ index: 0, id: "a", ...fn("Read", '{"p"') }),
        pieces({ index: 0, ...fn(undefined, ":1}") }),
        pieces({ index: 0, id: "b", ...fn("Read", '{"p"') }),
        pieces({ index: 0, ...fn(undefined, ":2}") }),
      ],
      [
        ["Read", { p: 1 }],
        ["Read", { p: 2 }],
      ],
    ],
    [
      "an index that starts at 1",
      [pieces({ index: 1, id: "a", ...fn("Read", "{}") }), pieces({ index: 2, id: "b", ...fn("Bash", "{}") })],
      [
        ["Read", {}],
        ["Bash", {}],
      ],
    ],
    [
      "no ids, names on new indexes",
      [
        pieces({ index: 0, ...fn("Read", '{"p":') }),
        pieces({ index: 0, ...fn(undefined, "1}") }),
        pieces({ index: 1, ...fn("Bash", "{}") }),
      ],
      [
        ["Read", { p: 1 }],
        ["Bash", {}],
      ],
    ],
    [
      "neither ids nor indexes, whole calls",
      [pieces(fn("Read", '{"p":1}'), fn("Read", '{"p":2}')), pieces(fn("Bash", "{}"))],
      [
        ["Read", { p: 1 }],
        ["Read", { p: 2 }],
        ["Bash", {}],
      ],
    ],
    [
      "no ids, always index 0, whole calls",
      [pieces({ index: 0, ...fn("Read", '{"p":1}') }), pieces({ index: 0, ...fn("Read", '{"p":2}') })],
      [
        ["Read", { p: 1 }],
        ["Read", { p: 2 }],
      ],
    ],
    [
      "the same id for every call",
      [pieces({ index: 0, id: "x", ...fn("Read", "{}") }), pieces({ index: 1, id: "x", ...fn("Bash", "{}") })],
      [
        ["Read", {}],
        ["Bash", {}],
      ],
    ],
    [
      "empty ids and names in later pieces",
      [
        pieces({ index: 0, id: "a", ...fn("Read", "") }),
        pieces({ index: 0, id: "", ...fn("", '{"p":') }),
        pieces({ index: 0, id: null, ...fn(null, "1}") }),
      ],
      [["Read", { p: 1 }]],
    ],
    [
      "the name repeated in each piece",
      [
        pieces({ index: 0, id: "a", ...fn("Read", '{"p":') }),
        pieces({ index: 0, ...fn("Read", "1") }),
        pieces({ index: 0, id: "a", ...fn("Read", "}") }),
      ],
      [["Read", { p: 1 }]],
    ],
    [
      "the id after the name",
      [pieces({ index: 0, ...fn("Read", "") }), pieces({ index: 0, id: "a", ...fn(undefined, '{"p":1}') })],
      [["Read", { p: 1 }]],
    ],
    ["arguments as an object", [pieces({ id: "a", ...fn("Read", { p: 1 }) })], [["Read", { p: 1 }]]],
    ["empty arguments", [pieces({ id: "a", ...fn("Read", "") })], [["Read", {}]]],
    ["no arguments", [pieces({ id: "a", ...fn("Read") })], [["Read", {}]]],
    ["null for arguments", [pieces({ id: "a", ...fn("Read", "null") })], [["Read", {}]]],
    [
      "arguments that are JSON in a string",
      [pieces({ id: "a", ...fn("Read", '"{\\"p\\":1}"') })],
      [["Read", { p: 1 }]],
    ],
    [
      "two calls in one",
      [pieces({ id: "a", ...fn("Read", '{"p":"}{"}') }), pieces(fn(undefined, '\n{"p":2}'))],
      [
        ["Read", { p: "}{" }],
        ["Read", { p: 2 }],
      ],
    ],
    [
      "two calls in one piece",
      [pieces({ id: "a", ...fn("Read", '{"p":1}{"p":2}') })],
      [
        ["Read", { p: 1 }],
        ["Read", { p: 2 }],
      ],
    ],
    [
      "calls inside a call",
      [
        pieces({
          id: "a",
          ...fn(
            "multi_tool_use.parallel",
            JSON.stringify({
              tool_uses: [
                { recipient_name: "functions.Read", parameters: { p: 1 } },
                { recipient_name: "functions.Bash", parameters: {} },
              ],
            }),
          ),
        }),
      ],
      [
        ["Read", { p: 1 }],
        ["Bash", {}],
      ],
    ],
    ["a stray bracket at the end", [pieces({ id: "a", ...fn("Read", '{"p":1}}') })], [["Read", { p: 1 }]]],
    ["a name in other letters", [pieces({ id: "a", ...fn("functions.read", "{}") })], [["Read", {}]]],
    [
      "the older form",
      [delta({ function_call: { name: "Read", arguments: "{" } }), delta({ function_call: { arguments: "}" } })],
      [["Read", {}]],
    ],
    ["broken arguments", [pieces({ id: "a", ...fn("Read", '{"p": ') })], [["Read", '{"p": ']]],
    ["arguments that are no object", [pieces({ id: "a", ...fn("Read", "[1]") })], [["Read", [1]]]],
  ])("%s", (_, chunks, shown) => {
    const got = read([...chunks, end("stop")]);
    expect(got.shown).toEqual(shown);
    expect(got.stop).toBe("tool_use");
    const ids = got.blocks.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain("");
    expect(got.blocks.map(({ id }) => typeof id)).toEqual(ids.map(() => "string"));
  });

  test("an id that is taken is replaced", () => {
    const { blocks } = read([pieces({ id: "call_0", ...fn("Read", "{}") }), end()], { taken: ["call_0"] });
    expect(blocks[0].id).toStartWith("call_");
    expect(blocks[0].id).not.toBe("call_0");
  });

  test("a finished call is passed on before the reply ends", () => {
    const reader = new ChatReader({
      model: "m",
      names: fitNames(tools, CHAT_NAMES),
      ids: new Set(),
      contextWindow: 1,
      estimateInput: () => 0,
    });
    expect(reader.push(pieces({ index: 0, id: "a", ...fn("Read", "{}") })).at(-1)).toEqual({
      type: "content_block_stop",
      index: 0,
    });
  });
});

describe("thinking", () => {
  test.each<[string, object[], unknown[]]>([
    ["reasoning_content", [delta({ reasoning_content: "hm" }), delta({ content: "so" })], [{ thinking: "hm" }, "so"]],
    ["reasoning", [delta({ reasoning: "h" }), delta({ reasoning: "m", content: "so" })], [{ thinking: "hm" }, "so"]],
    ["null and empty fields", [delta({ reasoning_content: null, reasoning: "", content: "so" })], ["so"]],
    ["tags at the start", [delta({ content: "<think>hm</think>\n\nso" })], [{ thinking: "hm" }, "so"]],
    [
      "tags in pieces",
      [..."\n<think>hm < </th </think>\nso"].map((content) => delta({ content })),
      [{ thinking: "hm < </th " }, "so"],
    ],
    ["an empty thought", [delta({ content: "<think>\n\n</think>\n\nso" })], ["so"]],
    ["a tag that never ends", [delta({ content: "<think>hm" })], [{ thinking: "hm" }]],
    [
      "a tag later in the text",
      [delta({ content: "so <think>" }), delta({ content: "x</think>" })],
      ["so <think>x</think>"],
    ],
    ["something like a tag", [delta({ content: "<thin" }), delta({ content: "g>" })], ["<thing>"]],
    ["only the beginning of a tag", [delta({ content: "<thi" })], ["<thi"]],
    [
      "a tag after a field",
      [delta({ reasoning: "hm" }), delta({ content: "<think>x" })],
      [{ thinking: "hm" }, "<think>x"],
    ],
    [
      "parts of Mistral",
      [
        delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
        delta({ content: [{ type: "text", text: "so" }] }),
      ],
      [{ thinking: "hm" }, "so"],
    ],
    [
      "thinking before a call",
      [delta({ reasoning: "hm" }), pieces({ id: "a", ...fn("Read", "{}") })],
      [{ thinking: "hm" }, ["Read", {}]],
    ],
    ["line breaks between calls", [pieces({ id: "a", ...fn("Read", "{}") }), delta({ content: "\n" })], [["Read", {}]]],
  ])("%s", (_, chunks, shown) => {
    expect(read([...chunks, end("stop")]).shown).toEqual(shown);
  });

  test("details are merged by index and kept whole, also those that come with a call", () => {
    const { blocks } = read([
      delta({ reasoning: "h", reasoning_details: [{ type: "reasoning.text", index: 0, text: "h", format: "f" }] }),
      delta({ reasoning: "m", reasoning_details: [{ type: "reasoning.text", index: 0, text: "m" }] }),
      delta({ reasoning_details: [{ type: "reasoning.text", index: 0, signature: "sig" }] }),
      delta({ content: "so" }),
      delta({
        reasoning_details: [{ type: "reasoning.encrypted", index: 1, id: "a", data: "xyz" }],
        tool_calls: [{ index: 0, id: "a", ...fn("Read", "{}") }],
      }),
      end(),
    ]);
    expect(blocks.map(({ type }) => type)).toEqual(["thinking", "text", "thinking", "tool_use"]);
    expect([blocks[0], blocks[2]].map(({ thinking }) => thinking)).toEqual(["hm", ""]);
    expect([blocks[0], blocks[2]].map(({ signature }) => openThinking(signature)?.["details"])).toEqual([
      [{ type: "reasoning.text", index: 0, text: "hm", format: "f", signature: "sig" }],
      [{ type: "reasoning.encrypted", index: 1, id: "a", data: "xyz" }],
    ]);
  });
});

describe("the end", () => {
  const text = delta({ content: "x" });
  test.each<[string, object[], string]>([
    ["stop", [text, end("stop")], "end_turn"],
    ["nothing but the end mark", [text], "end_turn"],
    ["length", [text, end("length")], "max_tokens"],
    ["model_length", [text, end("model_length")], "model_context_window_exceeded"],
    ["content_filter", [text, end("content_filter")], "refusal"],
    ["a refusal", [delta({ refusal: "no" }), end("stop")], "refusal"],
    ["calls, although it is called length", [pieces({ id: "a", ...fn("Read", "{}") }), end("length")], "tool_use"],
    ["tool_calls without calls", [text, end("tool_calls")], "end_turn"],
  ])("%s", (_, chunks, stop) => {
    expect(read(chunks).stop).toBe(stop);
  });

  test("without a mark or a reason, the reply is cut", () => {
    expect(() => read([text], { isDone: false })).toThrow(ModelError);
    expect(read([text, end("stop")], { isDone: false }).stop).toBe("end_turn");
  });

  test("usage may be in the last chunk, with the reason, or null until then", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } };
    const counted = {
      input_tokens: 6,
      output_tokens: 3,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 0,
    };
    const inLast = [{ ...text, usage: null }, end("stop"), { choices: [], usage }];
    expect(read(inLast).usage).toEqual(counted);
    expect(read([text, { ...end("stop"), usage }]).usage).toEqual(counted);
    expect(read([text, { ...end("stop"), x_groq: { usage } }]).usage).toEqual(counted);
    expect(read([text, { ...end("stop"), usage: {} }]).usage).toMatchObject({ input_tokens: 10, estimated: true });
  });

  test("an empty reply to a prompt near the window is an overflow", () => {
    const options = { contextWindow: 1_000, input: 950 };
    expect(() => read([end("stop")], options)).toThrow(expect.objectContaining({ kind: "prompt_too_long" }));
    expect(() => read([], { ...options, isDone: false })).toThrow(expect.objectContaining({ kind: "prompt_too_long" }));
    const usage = { prompt_tokens: 990, completion_tokens: 0 };
    expect(() => read([{ ...end("stop"), usage }], { contextWindow: 1_000 })).toThrow("empty reply");
    expect(read([end("stop")], { contextWindow: 1_000, input: 500 }).shown).toEqual([]);
    expect(read([text, end("stop")], options).shown).toEqual(["x"]);
  });

  test.each<[object, string]>([
    [
      { error: { code: 502, message: "Upstream failed" }, choices: [{ delta: {}, finish_reason: "error" }] },
      "server_error",
    ],
    [{ choices: [{ delta: {}, finish_reason: "insufficient_system_resource" }] }, "overloaded"],
    [{ error: { code: 429, message: "Slow down" } }, "rate_limit"],
    [{ error: { code: "insufficient_quota", message: "Pay" } }, "billing_error"],
    [{ error: "something" }, "server_error"],
    [{ object: "error", message: "maximum context length", code: 400 }, "prompt_too_long"],
  ])("an error in the stream: %j", (chunk, kind) => {
    expect(() => read([text, chunk])).toThrow(expect.objectContaining({ kind }));
  });
});

test("however pieces are split, the same calls come out, one after another", () => {
  const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const call = fc.record({ name: fc.constantFrom("Read", "Bash"), input });
  const scenario = fc.record({
    calls: fc.array(call, { minLength: 1, maxLength: 4 }),
    text: fc.string(),
    order: fc.infiniteStream(fc.nat(3)),
    size: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(scenario, ({ calls, text, order, size }) => {
      const queues = calls.map(({ name, input }, index) => [
        pieces({ index, id: `id_${index}`, ...fn(name, "") }),
        ...split(JSON.stringify(input), size).map((part) => pieces({ index, ...fn(undefined, part) })),
      ]);
      // Pieces of a call stay in order; calls begin in theirs.
      const mixed: object[] = queues.map((queue) => queue.shift()!);
      for (const pick of order) {
        const left = queues.filter((queue) => queue.length > 0);
        if (left.length === 0) break;
        mixed.push(left[pick % left.length]!.shift()!);
      }
      const said = text.startsWith("<") || text.trim() === "" ? "plain" : text;
      const { shown } = read([delta({ content: said }), ...mixed, end()]);
      expect(shown).toEqual([said, ...calls.map(({ name, input }) => [name, JSON.parse(JSON.stringify(input))])]);
    }),
  );
});

function split(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
