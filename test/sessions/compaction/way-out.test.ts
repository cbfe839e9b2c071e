// A full context window, through the program: a server that counts tokens and refuses what is too long.

import { expect, test } from "bun:test";
import {
  chainProblems,
  messageProblems,
  readTranscript,
  runKeelson,
  startMockModel,
  temporaryHome,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, STREAM } from "../front-door.ts";

const MODEL = ["--model", "claude-sonnet-4-6", "--tools", "Bash,Read"];
const words = (name: string, tokens: number) => `${name}: ${"some words ".repeat(Math.floor((tokens * 4) / 11))}`;

/** Counts four characters as a token. Summaries are short, other answers say how many prompts there were. */
function counting(window: number, answer: (number: number) => string = (number) => `answer ${number}`) {
  const count = (body: any) => Math.ceil(JSON.stringify([body.system, body.tools, body.messages]).length / 4);
  let answers = 0;
  return (body: any) => {
    const tokens = count(body);
    if (tokens > window)
      return {
        status: 400,
        type: "invalid_request_error",
        message: `prompt is too long: ${tokens} tokens > ${window} maximum`,
      };
    const isSummary = JSON.stringify(body.messages.at(-1)).includes("about to be shortened");
    const text = isSummary ? "<summary>what was said so far</summary>" : answer(++answers);
    return { text, usage: { input_tokens: tokens, output_tokens: Math.ceil(text.length / 4) } };
  };
}

/** Each prompt gets its own run and result. */
const chat = (
  home: TemporaryHome,
  prompts: readonly string[],
  options: { readonly url: string; readonly env?: Record<string, string> },
) =>
  runKeelson(["-p", ...CHAT, ...MODEL], {
    home,
    ...options,
    stdin: [
      control("init", { subtype: "initialize", joinQueuedPrompts: false }),
      ...prompts.map((text) => prompt(text)),
    ],
  });

const sizes = (requests: readonly any[]) =>
  requests.map(({ body }) => JSON.stringify([body.system, body.tools, body.messages]).length / 4);
const windowOf = (tokens: number, more: Record<string, string> = {}) => ({
  CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(tokens),
  ...more,
});

test.each([16_000, 32_000, 128_000])(
  "a conversation of text alone continues in a window of %p tokens, and when it is resumed",
  async (window) => {
    using home = temporaryHome();
    await using model = await startMockModel(counting(window, (number) => words(`answer ${number}`, window / 10)));
    const said = Array.from({ length: 12 }, (_, n) => words(`prompt ${n}`, window / 8));
    const ended = await chat(home, said, {
      url: model.url,

      env: windowOf(window),
    });
    expect(messagesOf(ended, "result").map(({ is_error }) => is_error)).toEqual(said.map(() => false));
    const boundaries = messagesOf(ended, "system/compact_boundary");
    expect(boundaries.length).toBeGreaterThan(1);
    for (const {
      compact_metadata: { pre_tokens, post_tokens },
    } of boundaries)
      expect(post_tokens).toBeLessThan(pre_tokens);
    // Not one request was too long, and none had to be sent twice.
    expect(Math.max(...sizes(model.requests))).toBeLessThan(window);
    expect(model.requests).toHaveLength(12 + boundaries.length);
    expect(model.requests.flatMap(({ body }) => messageProblems(body.messages as never))).toEqual([]);
    expect(chainProblems(readTranscript(home))).toEqual([]);
    await using later = await startMockModel(counting(window));
    await runKeelson(["-p", "and now?", "-c", ...MODEL], { home, url: later.url, env: windowOf(window) });
    const resumed = JSON.stringify(later.requests.at(-1)!.body.messages);
    expect(resumed).toContain("what was said so far");
    expect(resumed).toContain("and now?");
  },
);

test("with automatic compaction off, a full window is refused, and /compact makes room, also in a single exchange", async () => {
  using home = temporaryHome();
  const window = 32_000;
  await using model = await startMockModel(
    counting(window, (number) => words(`answer ${number}`, number === 1 ? 20_000 : 10)),
  );
  const said = [words("prompt", 8_000), "and then?", "/compact", "go on"];
  const env = windowOf(window, { DISABLE_AUTO_COMPACT: "1" });
  const ended = await chat(home, said, { url: model.url, env });
  expect(messagesOf(ended, "result")).toMatchObject([
    { is_error: false },
    { is_error: true, result: "Prompt is too long", terminal_reason: "blocking_limit" },
    { local_command: "compact" },
    { is_error: false, result: expect.stringContaining("answer 2") },
  ]);
  expect(JSON.stringify(messagesOf(ended, "system/informational"))).toContain("Use /compact");
  const last = JSON.stringify(model.requests.at(-1)!.body.messages);
  for (const text of ["what was said so far", "and then?", "go on"]) expect(last).toContain(text);
  expect(last).not.toContain("some words some words");
});

test("a window that is smaller than anyone said is found out, and the conversation continues", async () => {
  using home = temporaryHome();
  const window = 20_000;
  await using model = await startMockModel(counting(window, (number) => words(`answer ${number}`, 3_000)));
  const said = Array.from({ length: 8 }, (_, n) => words(`prompt ${n}`, 2_000));
  const ended = await chat(home, said, { url: model.url });
  expect(messagesOf(ended, "result").map(({ is_error }) => is_error)).toEqual(said.map(() => false));
  expect(messagesOf(ended, "system/compact_boundary").length).toBeGreaterThan(0);
});

test("a prompt that is larger than the window is refused with advice; the next one is answered", async () => {
  using home = temporaryHome();
  const window = 32_000;
  await using model = await startMockModel(counting(window));
  const said = ["hello", words("prompt", 60_000), "then this"];
  const ended = await chat(home, said, {
    url: model.url,

    env: windowOf(window),
  });
  expect(messagesOf(ended, "result")).toMatchObject([
    { result: "answer 1" },
    {
      is_error: true,
      terminal_reason: "prompt_too_long",
      result: expect.stringMatching(/^Prompt is too long · .* file/),
    },
    { result: "answer 2" },
  ]);
  expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain("then this");
});

test("with automatic compaction off, a short conversation whose reply had much reasoning in it continues", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "answer 1", usage: { input_tokens: 3_000, output_tokens: 28_500 } },
    { text: "answer 2" },
  ]);
  const env = windowOf(32_000, { DISABLE_AUTO_COMPACT: "1" });
  const ended = await chat(home, ["hello", "and then?"], { url: model.url, env });
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["answer 1", "answer 2"]);
});

test.each([
  ["DISABLE_AUTO_COMPACT", {}, /^The agent is done: answer/],
  ["DISABLE_COMPACT", { DISABLE_COMPACT: "1" }, /^The agent failed \(agentId: \w+\): Prompt is too long/],
] as const)("with %s, a subagent at a full window: no one else could ask for a summary", async (_, more, expected) => {
  using home = temporaryHome();
  const window = 32_000;
  const server = counting(window, (number) => `The agent is done: answer ${number}`);
  home.write("big.txt", `${words("line", 30)}\n`.repeat(220));
  let reads = 0;
  await using model = await startMockModel((body: any) => {
    const counted = server(body);
    if ("status" in counted || counted.text.startsWith("<summary>")) return counted;
    const isChild = !body.tools.some(({ name }: any) => name === "Agent");
    const { usage } = counted;
    if (isChild && ++reads <= 12)
      return { calls: [{ name: "Read", input: { file_path: "big.txt", offset: reads } }], usage };
    if (isChild) return counted;
    if (body.messages.length > 1) return { text: "Done", usage };
    return { calls: [{ name: "Agent", input: { description: "Reads", prompt: "Only the child reads this" } }], usage };
  });
  const env = windowOf(window, { DISABLE_AUTO_COMPACT: "1", ...more });
  const args = ["-p", "Go", "--model", "claude-sonnet-4-6", "--tools", "Agent,Read", ...STREAM];
  const ended = await runKeelson(args, { home, url: model.url, env });
  const result = messagesOf(ended, "user")
    .flatMap(({ message }) => message.content)
    .findLast(({ tool_use_id: id }: any) => id === "call_1_1");
  const text = typeof result.content === "string" ? result.content : result.content[0].text;
  expect(text).toMatch(expected);
  expect(messagesOf(ended, "result")).toMatchObject([{ result: "Done" }]);
});
