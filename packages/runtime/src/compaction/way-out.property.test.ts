// Whatever fills a context window, of whatever size: the conversation can be compacted and continues. The server counts
// tokens in its own way and refuses what is too long.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  Conversation,
  ModelError,
  partsOfRun,
  run,
  type CompactionPort,
  type ModelProvider,
  type ModelRequest,
  type Ports,
} from "@keelson/engine";
import { compactConversation } from "@keelson/engine/compaction";
import { blocksOf, type ContentBlock, type NewEntry } from "@keelson/protocol";
import { messageProblems, testEngine } from "@keelson/testkit";
import { requestSideReply } from "../model/side-request.ts";
import { compactionPort } from "./compaction-port.ts";

const WINDOWS = [8_000, 16_000, 32_000, 128_000, 200_000, 1_000_000];
const PICTURE = 1_600;

const part = fc.record({
  kind: fc.constantFrom("prompt", "prompt", "answer", "answer", "call", "picture", "thought", "steps"),
  /** Of all parts together. */
  weight: fc.integer({ min: 1, max: 1_000 }),
});
const scene = fc.record({
  window: fc.constantFrom(...WINDOWS),
  parts: fc.array(part, { minLength: 1, maxLength: 14 }),
  /** How many windows the conversation fills. */
  fill: fc.constantFrom(0.3, 0.7, 0.9, 1.1, 2, 4),
  /** Of the window. */
  besides: fc.constantFrom(0.01, 0.1, 0.4),
  charactersPerToken: fc.constantFrom(2.5, 3.3, 4, 4.6),
  /** The server's window, of the one that we know. */
  truth: fc.constantFrom(1, 1, 1, 0.6),
  countsAnswer: fc.boolean(),
  summary: fc.constantFrom("short", "long", "cut"),
  isReported: fc.boolean(),
});
type Scene = Omit<typeof scene extends fc.Arbitrary<infer T> ? T : never, "fill"> & { readonly fill: number };

function blocksAndCount(request: ModelRequest, charactersPerToken: number): number {
  let pictures = 0;
  const text = JSON.stringify([request.system, request.tools, request.messages], (key, value) => {
    if (key === "data") pictures++;
    return key === "data" || key === "signature" ? "" : value;
  });
  return Math.ceil(text.length / charactersPerToken) + pictures * PICTURE;
}

function countingServer({ window, truth, countsAnswer, charactersPerToken, summary }: Scene) {
  const accepted: ModelRequest[] = [];
  const size = Math.floor(window * truth);
  const provider: ModelProvider = {
    id: "counting",
    async *stream(request) {
      const input = blocksAndCount(request, charactersPerToken);
      const total = input + (countsAnswer ? request.max_tokens : 0);
      if (input > size || total > size)
        throw new ModelError("prompt_too_long", `prompt is too long: ${total} tokens > ${size} maximum`, {
          status: 400,
        });
      accepted.push(request);
      const isSummary = JSON.stringify(request.messages.at(-1)).includes("about to be shortened");
      const most = Math.min(request.max_tokens, size - input);
      const wanted = summary === "short" ? 60 : summary === "long" ? Math.floor(most * 0.9) : most;
      const text = isSummary ? `<summary>${"so far ".repeat(Math.max(1, Math.floor((wanted * 3) / 7)))}` : "ok";
      const stop_reason = isSummary && summary === "cut" ? "max_tokens" : "end_turn";
      const usage = { input_tokens: input, output_tokens: isSummary ? wanted : 2 };
      yield {
        type: "message_start",
        message: {
          id: `r${accepted.length}`,
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      };
      yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
      yield { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } };
      yield { type: "content_block_stop", index: 0 };
      yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage };
      yield { type: "message_stop" };
    },
  };
  return { provider, accepted };
}

/** Entries of a session with these parts. */
function entriesOf({ parts, window, truth, besides, fill, isReported, charactersPerToken }: Scene): NewEntry[] {
  const weight = parts.reduce((sum, each) => sum + each.weight, 0);
  let count = 0;
  let seen = Math.floor(window * truth * besides);
  const id = () => `e${count++}`;
  const user = (content: readonly ContentBlock[]): NewEntry =>
    ({ type: "user", uuid: id(), message: { role: "user", content } }) as NewEntry;
  const replied = (content: readonly ContentBlock[]): NewEntry =>
    ({
      type: "assistant",
      uuid: id(),
      message: {
        id: id(),
        type: "message",
        role: "assistant",
        model: "m",
        content,
        stop_reason: "end_turn",
        usage: { input_tokens: isReported ? seen : 0, output_tokens: 1 },
      },
    }) as never;
  const text = (value: string): ContentBlock => ({ type: "text", text: value });
  const entries: NewEntry[] = [];
  for (const each of parts) {
    const tokens = Math.ceil((window * fill * each.weight) / weight);
    seen += tokens;
    const long = "words of it ".repeat(Math.ceil((tokens * charactersPerToken) / 12));
    const call = id();
    const use = { type: "tool_use", id: call, name: "Read", input: { path: call } } as ContentBlock;
    const result = (content: unknown) => user([{ type: "tool_result", tool_use_id: call, content } as ContentBlock]);
    const source = { type: "base64", media_type: "image/png", data: "A".repeat(400) };
    if (each.kind === "prompt") entries.push(user([text(long)]));
    if (each.kind === "answer") entries.push(user([text("and?")]), replied([text(long)]));
    if (each.kind === "call")
      entries.push(user([text("read")]), replied([use]), result(long), replied([text("read it")]));
    if (each.kind === "steps")
      entries.push(replied([{ ...use, input: { path: call, content: long } } as ContentBlock]), result("written"));
    if (each.kind === "thought")
      entries.push(replied([{ type: "thinking", thinking: long, signature: "s" } as ContentBlock, text("hm")]));
    if (each.kind === "picture")
      entries.push(
        user([text("look")]),
        replied([use]),
        result(Array.from({ length: Math.min(20, Math.ceil(tokens / PICTURE)) }, () => ({ type: "image", source }))),
      );
  }
  return entries;
}

async function stage(one: Scene, automatic: boolean) {
  const { window, besides, charactersPerToken } = one;
  const { provider, accepted } = countingServer(one);
  const profile = { contextWindow: window, maxTokens: Math.min(32_000, Math.floor(window / 8)) };
  const engine = testEngine(provider, {
    profile,
    system: ["rules ".repeat(Math.floor((window * one.truth * besides * charactersPerToken) / 6))],
  });
  const restored: NewEntry[] = [];
  const compaction: CompactionPort = {
    ...compactionPort({
      snapshot: () => ({ settings: { autoCompactEnabled: automatic }, env: {} }) as never,
      model: () => engine.ports.model,
      signal: engine.ports.signal,
      charge: () => undefined,
      now: () => 0,
      transcript: () => "/s.jsonl",
      leaf: () => null,
      preface: () => "preface",
      restore: async () => restored,
    }),
    ask: (request) =>
      requestSideReply({
        model: engine.ports.model,
        request,
        signal: engine.ports.signal,
        charge: () => undefined,
        now: () => 0,
      }),
  };
  // A file that was read, and a list: what comes back must fit, too.
  for (const [name, length] of [
    ["file", 20_000],
    ["list", 300],
  ] as const)
    restored.push({
      type: "user",
      uuid: name,
      isMeta: true,
      message: { role: "user", content: name.repeat(length / 4) },
    } as NewEntry);
  const ports: Ports = { ...engine.ports, model: engine.ports.model, compaction };
  const conversation = await Conversation.of(entriesOf(one) as never, "preface");
  const say = async (text: string) => {
    const end = await run(
      { type: "user", message: { role: "user", content: text }, uuid: text } as never,
      "default",
      conversation,
      ports,
      {},
    );
    return end.reason === "completed" ? "completed" : `${end.reason}: ${end.text}`;
  };
  return { say, ports, conversation, accepted, engine };
}

const problems = (accepted: readonly ModelRequest[]) =>
  accepted.flatMap(({ messages }) => messageProblems(messages as never));
const boundaries = (entries: readonly NewEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === "system" && entry.subtype === "compact_boundary" ? [entry.compactMetadata as any] : [],
  );

const kinds = (text: string) =>
  text.split(" ").map((kind) => ({ kind: kind as Scene["parts"][number]["kind"], weight: 1 }));
const known: Scene = {
  window: 8_000,
  parts: kinds("call answer answer answer answer call call answer answer call"),
  fill: 1.1,
  besides: 0.4,
  charactersPerToken: 4.6,
  truth: 1,
  countsAnswer: false,
  summary: "short",
  isReported: true,
};
/** Scenes that had no way out once. The server reports answers as shorter than they are in all of them. */
const FOUND: readonly Scene[] = [
  known,
  { ...known, fill: 4, summary: "long", parts: kinds("thought thought answer answer thought call answer") },
  { ...known, fill: 0.9, summary: "long", parts: kinds("answer answer thought steps answer answer thought") },
  {
    ...known,
    window: 200_000,
    fill: 0.9,
    besides: 0.01,
    charactersPerToken: 2.5,
    summary: "long",
    parts: [
      { kind: "answer", weight: 1 },
      { kind: "picture", weight: 6 },
    ],
  },
];

test("with automatic compaction, every conversation continues", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (one) => {
      const { say, accepted, engine } = await stage(one, true);
      expect([await say("go on"), await say("and then?")]).toEqual(["completed", "completed"]);
      expect(JSON.stringify(accepted.at(-1)!.messages)).toContain("and then?");
      expect(problems(accepted)).toEqual([]);
      for (const { preTokens, postTokens } of boundaries(engine.entries)) expect(postTokens).toBeLessThan(preTokens);
    }),
    { numRuns: 200, examples: FOUND.map((one) => [one]) },
  );
});

test("without it, a full conversation is refused, can be compacted by hand, and continues", async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (one) => {
      const { say, ports, conversation, accepted } = await stage(one, false);
      for (let tries = 0; (await say("go on")) !== "completed"; tries++) {
        expect(tries).toBeLessThan(4);
        const parts = partsOfRun(ports)();
        const done = await compactConversation(
          conversation,
          { ...ports, model: ports.model, compaction: ports.compaction! },
          { trigger: "manual", parts },
        );
        expect(done).not.toHaveProperty("error");
      }
      expect(problems(accepted)).toEqual([]);
    }),
    { numRuns: 200, examples: FOUND.map((one) => [one]) },
  );
});

test("a prompt that is larger than the window is refused with advice, and the next one is answered", async () => {
  await fc.assert(
    fc.asyncProperty(scene, fc.boolean(), async (one, isFirst) => {
      const { say, accepted, conversation } = await stage(
        isFirst ? { ...one, parts: one.parts.slice(0, 1), fill: 0.01 } : one,
        true,
      );
      const refused = await say("many words ".repeat(one.window));
      expect(refused).toMatch(
        /^prompt_too_long: Prompt is too long · It has about \d+ tokens, and \d+ fit\. Put it into a file/,
      );
      expect(await say("then this")).toBe("completed");
      expect(problems(accepted)).toEqual([]);
      expect(JSON.stringify(blocksOf(conversation.messages.at(-2)!.content))).toContain("then this");
    }),
    { numRuns: 100 },
  );
});
