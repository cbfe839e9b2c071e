// Long conversations with everything that a session does to its history: replies of this server and of others, thinking,
// pictures, results cleared and conversations compacted, calls that were never answered. Each request must be legal.

import { expect } from "bun:test";
import type { ModelRequest, ToolDefinition } from "@keelson/engine";
import { isToolUse, type ContentBlock, type ModelMessage } from "@keelson/protocol";
import type { DialectReply } from "@keelson/testkit";
import { sealThinking } from "../thinking-envelope.ts";
import { dialectTest, requestTo } from "./replies.test-support.ts";
import { collect, image, pdf, type DialectUnderTest } from "./support.test-support.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
const TURNS = 25;

/** Numbers that look random and are the same every time. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed * 7_919;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Below = ReturnType<typeof numbersFrom>;

const NAMES = ["Read", "Bash", `mcp__${"long_".repeat(30)}`, "mcp__ü__a b", "9lives"];
const SCHEMAS: readonly ToolDefinition["input_schema"][] = [
  { type: "object", properties: { path: { type: "string", pattern: "[a-z]+" }, list: { type: "array" } } },
  { type: "object" },
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      tree: { $ref: "#/$defs/tree" },
      mode: { const: "fast" },
      either: { oneOf: [{ type: "string" }, {}] },
    },
    required: ["tree"],
    additionalProperties: false,
    $defs: { tree: { type: "object", properties: { inside: { type: ["string", "null"] } } } },
  },
];
const tools: readonly ToolDefinition[] = NAMES.map((name, at) => ({
  name,
  description: at % 2 === 0 ? `About ${name}. ${"Details. ".repeat(300)}` : "",
  input_schema: SCHEMAS[at % SCHEMAS.length]!,
}));

const text = (said: string): ContentBlock => ({ type: "text", text: said });
const gif: ContentBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/gif", data: "R0lGODlhAQABAAAAADs=" },
};
const linked = { type: "image", source: { type: "url", url: "https://example.com/a.png" } } as ContentBlock;
const note = { type: "document", source: { type: "text", media_type: "text/plain", data: "" } } as ContentBlock;

export function historyCases(dialect: DialectUnderTest): void {
  const hasImages = !dialect.lacks?.includes("images");
  for (const seed of SEEDS) {
    const below = numbersFrom(seed);
    const script = Array.from(
      { length: TURNS * 2 },
      () =>
        ({ tools: names }: { tools: readonly string[] }) =>
          reply(below, names),
    );
    dialectTest(dialect, `every request of conversation ${seed} is legal`, script, async ({ provider }) => {
      let request: ModelRequest = { ...requestTo(dialect, { tools }), messages: [] };
      for (let turn = 0; turn < TURNS; turn++) {
        request = { ...request, messages: changed(request.messages, below, hasImages, turn) };
        const { blocks, model, callState, error } = await collect(provider, request);
        expect({ seed, turn, error: error?.message }).toEqual({ seed, turn, error: undefined });
        const isText =
          blocks.length > 0 && blocks.every(({ input }) => input === undefined || typeof input === "object");
        if (isText)
          request = {
            ...request,
            messages: [...request.messages, { role: "assistant", content: blocks, reply: { model, callState } }],
          };
      }
    });
  }
}

/** What the server says: thinking, text, and calls of tools that it was offered. */
function reply(below: Below, names: readonly string[]): DialectReply {
  const calls = Array.from({ length: names.length > 0 ? below(4) : 0 }, () => ({
    call: { name: names[below(names.length)]!, input: { path: `f${below(100)}` } },
  }));
  return {
    blocks: [
      ...(below(3) ? [] : [{ thinking: "let me see" }]),
      ...(calls.length > 0 && below(2) ? [] : [{ text: `said ${below(1000)}` }]),
      ...calls,
    ],
  };
}

/** The conversation before the next request. */
function changed(
  messages: readonly ModelMessage[],
  below: Below,
  hasImages: boolean,
  turn: number,
): readonly ModelMessage[] {
  const all = [...messages];
  const last = all.at(-1);
  const open =
    last?.role === "assistant" && typeof last.content !== "string"
      ? last.content.flatMap((block) => (isToolUse(block) ? [block.id] : []))
      : [];
  const media = () => [image, pdf, ...(hasImages ? [gif, linked, note] : [])][below(hasImages ? 5 : 2)]!;
  if (open.length > 0) {
    const results = open.map((id): ContentBlock => ({
      type: "tool_result",
      tool_use_id: id,
      content: below(6) === 0 ? "" : [...(below(5) ? [text(`result ${id}`)] : []), ...(below(4) ? [] : [media()])],
      ...(below(4) ? {} : { is_error: true }),
    }));
    const after = below(3)
      ? []
      : [text(below(2) ? "<system-reminder>\nBe careful.\n</system-reminder>" : "stop, do this instead")];
    all.push({ role: "user", content: [...(below(2) ? results : results.toReversed()), ...after] });
  } else all.push({ role: "user", content: [text(`prompt ${turn}`), ...(below(4) ? [] : [media()])] });

  // A reply of another provider, and its own prompt.
  if (below(4) === 0) {
    const id = ["toolu_", "functions.Read:", "é/", "x".repeat(70)][below(4)]! + turn;
    all.push(
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: below(2) ? "EqQB" : sealThinking({ api: "x", model: "m" }) },
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
          text(below(3) ? "from elsewhere" : " "),
          { type: "tool_use", id, name: NAMES[below(NAMES.length)]!, input: {} },
        ],
        reply: { model: "another" },
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: [text("found")] }] },
    );
  }
  // Old results are cleared.
  if (below(3) === 0)
    for (const [at, message] of all.slice(0, -3).entries())
      if (message.role === "user" && typeof message.content !== "string")
        all[at] = {
          ...message,
          content: message.content.map((block) =>
            block.type === "tool_result" ? { ...block, content: "[Old tool result content cleared]" } : block,
          ),
        };
  // Everything so far becomes a summary.
  if (below(8) === 0)
    return [
      { role: "user", content: [text("This session continues an earlier one. Summary: much was done.")] },
      ...(below(2)
        ? [
            { role: "assistant", content: [text("Ready.")] } as ModelMessage,
            { role: "user", content: "go on" } as ModelMessage,
          ]
        : []),
    ];
  return all;
}
