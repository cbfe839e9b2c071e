// Sessions on servers of OpenAI's kind, through the real program: what the model thought, what weak models send, and
// prompts that are too long.

import { expect, test } from "bun:test";
import {
  readTranscript,
  runKeelson,
  startChatServer,
  startResponsesServer,
  temporaryHome,
  type DialectServer,
  type RawAnswer,
} from "@keelson/testkit";
import { messagesOf, resultOf, STREAM } from "../front-door.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const block = (server: DialectServer, api: string, model: string, traits: object = {}) => ({
  model: `local/${model}`,
  providers: { local: { api, baseUrl: `${server.url}/v1`, models: { [model]: traits } } },
});

test("Responses: reasoning goes back within a turn and in a resumed session", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  await using server = await startResponsesServer([
    {
      blocks: [
        { thinking: "I should look" },
        { call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } },
      ],
    },
    { blocks: [{ thinking: "" }, { text: "It says: the content" }] },
    { blocks: [{ text: "as I said" }] },
  ]);
  home.settings(block(server, "openai-responses", "gpt-5", { thinking: "adaptive" }));

  const first = await runKeelson(["-p", "what is in a.txt?", ...STREAM], { home });
  expect([first.code, first.stderr, server.problems]).toEqual([0, "", []]);
  expect(resultOf(first).result).toBe("It says: the content");
  const again = await runKeelson(["-p", "sure?", "--continue"], { home });
  expect([again.stdout, again.stderr, server.problems]).toEqual(["as I said\n", "", []]);

  const states = server.requests.map(({ parts }) => parts.flatMap((part) => ("state" in part ? [part.state] : [])));
  expect(states).toEqual([[], ["state-1-0"], ["state-1-0", "state-2-0"]]);
  const keys = server.requests.map(({ body }) => body.prompt_cache_key);
  expect(keys[0]).toBe(messagesOf(first, "system/init")[0].session_id);
  expect(keys[1]).toBe(keys[0]);
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "same-id", choices: [{ delta, finish_reason }] })}\n\n`;
const raw = (...frames: string[]): RawAnswer => ({ raw: { headers: { "content-type": "text/event-stream" }, frames } });

test("Chat Completions: what weak models send is repaired or answered", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the first\n");
  home.write("b.txt", "the second\n");
  const read = (name: string) => JSON.stringify({ file_path: `${home.project}/${name}` });
  await using server = await startChatServer([
    // Neither ids nor indexes, two calls in one, a name in other letters, and the wrong reason to stop.
    raw(
      chunk({ content: "<think>two files</think>\n\nReading." }),
      chunk({ tool_calls: [{ function: { name: "read", arguments: read("a.txt") + read("b.txt") } }] }),
      chunk({}, "stop"),
    ),
    raw(
      chunk({ tool_calls: [{ id: "", function: { name: "Read", arguments: '{"file_path": "/a' } }] }),
      chunk({}, "length"),
    ),
    { blocks: [{ text: "done" }] },
  ]);
  home.settings(block(server, "openai-chat", "tiny"));

  const ended = await runKeelson(["-p", "read both", ...STREAM], { home });

  expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
  expect(resultOf(ended).result).toBe("done");
  const results = server.requests[2]!.parts.flatMap((part) => ("result" in part ? [part.result.text] : []));
  expect(results).toEqual([
    expect.stringContaining("the first"),
    expect.stringContaining("the second"),
    expect.stringMatching(/^Error: [^]*is not valid JSON: `\{"file_path": "\/a`/),
  ]);
  const thoughts = readTranscript(home).flatMap(({ message }: any) =>
    Array.isArray(message?.content) ? message.content.filter(({ type }: any) => type === "thinking") : [],
  );
  expect(thoughts.map(({ thinking }: any) => thinking)).toEqual(["two files"]);
  // The server did not count.
  expect(resultOf(ended).total_cost_usd).toBeNull();
});

test("Chat Completions: a picture that a tool read follows the results", async () => {
  using home = temporaryHome();
  home.write("pixel.png", Buffer.from(PIXEL, "base64"));
  const look = { blocks: [{ call: { name: "Read", input: { file_path: `${home.project}/pixel.png` } } }] };
  await using server = await startChatServer([
    look,
    { blocks: [{ text: "a pixel" }] },
    look,
    { blocks: [{ text: "?" }] },
  ]);

  home.settings(block(server, "openai-chat", "seeing", { images: true }));
  const seen = await runKeelson(["-p", "look", ...STREAM], { home });
  expect([seen.code, seen.stderr, server.problems]).toEqual([0, "", []]);
  expect(server.requests[1]!.parts.some((part) => "image" in part)).toBe(true);

  home.settings(block(server, "openai-chat", "blind", { images: false }));
  const unseen = await runKeelson(["-p", "look", ...STREAM], { home });
  expect([unseen.code, server.problems]).toEqual([0, []]);
  expect(JSON.stringify(server.requests[3]!.body)).toContain("[picture not shown: this model reads text only]");
  expect(messagesOf(unseen, "system/informational").map(({ content }) => content)).toEqual([
    expect.stringContaining("pictures"),
  ]);
});

test("Chat Completions: parameters that the server refuses cost the user nothing", async () => {
  using home = temporaryHome();
  await using server = await startChatServer([{ blocks: [{ text: "hello" }] }], {
    refuses: ["stream_options", "max_tokens"],
  });
  home.settings(block(server, "openai-chat", "old"));
  const ended = await runKeelson(["-p", "hi"], { home });
  expect([ended.stdout, ended.stderr, ended.code]).toEqual(["hello\n", "", 0]);
  expect(server.problems.length).toBe(2);
});
