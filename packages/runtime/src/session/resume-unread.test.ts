// What makes resuming a long session quick: its long texts go from the transcript into the request without being decoded.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Conversation, type ModelRequest } from "@keelson/engine";
import { resolveModel } from "@keelson/model";
import { blocksOf, isFolded, toLine, type ChainEntry, type ContentBlock } from "@keelson/protocol";
import { loadSession } from "@keelson/store/past";
import { startMockModel } from "@keelson/testkit";

const dir = mkdtempSync(join(tmpdir(), "keelson-unread-"));
const path = join(dir, "s.jsonl");
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const long = (name: string) => `${name}: "quoted"\\ and\ttabs\n`.repeat(400);

function entry(uuid: string, parentUuid: string | null, type: "user" | "assistant", block: ContentBlock): ChainEntry {
  const message =
    type === "user"
      ? { role: type, content: [block] }
      : {
          id: `msg_${uuid}`,
          type: "message",
          role: type,
          model: "elsewhere",
          content: [block],
          stop_reason: "end_turn",
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        };
  const rest = { isSidechain: false, uuid, timestamp: "2026-01-01T00:00:00.000Z", sessionId: "s" };
  return { parentUuid, type, message, ...rest } as unknown as ChainEntry;
}

const entries = [
  entry("1", null, "user", { type: "text", text: long("prompt") }),
  entry("2", "1", "assistant", { type: "tool_use", id: "call_1", name: "Read", input: { path: "a" } }),
  entry("3", "2", "user", { type: "tool_result", tool_use_id: "call_1", content: long("result"), is_error: false }),
  entry("4", "3", "assistant", { type: "text", text: long("answer") }),
];

const unread = ({ messages }: Conversation) =>
  messages
    .flatMap(({ content }) => blocksOf(content))
    .filter((block) => isFolded(block, "text") || isFolded(block, "content"));

test.each(["elsewhere", "claude-opus-5-5"])(
  "a session is resumed and sent to %s without decoding a long text",
  async (model) => {
    writeFileSync(path, entries.map((each) => toLine(each)).join(""));
    const conversation = await Conversation.of(loadSession({ path })!.entries, "preface");
    expect(unread(conversation)).toHaveLength(3);
    conversation.add({ type: "user", message: { role: "user", content: "go on" } });
    await conversation.repair();

    await using mock = await startMockModel([{ text: "ok" }]);
    const env = { ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: "sk-ant-test" };
    const { provider } = await resolveModel({ env, model } as never);
    const { messages } = conversation;
    const request: ModelRequest = { model, max_tokens: 100, system: [], messages, tools: [], betas: [] };
    for await (const _ of provider.stream(request, AbortSignal.timeout(60_000)));
    expect(unread(conversation)).toHaveLength(3);
    const sent = JSON.stringify(mock.requests[0]!.body);
    for (const name of ["prompt", "result", "answer"]) expect(sent).toContain(JSON.stringify(long(name)).slice(1, -1));
  },
);

test("a long text that is only spaces is still left out", async () => {
  writeFileSync(
    path,
    [...entries, entry("5", "4", "user", { type: "text", text: " \n\t".repeat(3_000) })]
      .map((each) => toLine(each))
      .join(""),
  );
  const { messages } = await Conversation.of(loadSession({ path })!.entries, "preface");
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
});
