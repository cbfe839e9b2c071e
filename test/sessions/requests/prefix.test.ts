// What providers cache is the beginning of a request. With tools that are loaded on demand, each request still begins with
// the one before it, whatever the provider: nothing of it changes, and what is loaded comes behind the other tools.

import { expect, test } from "bun:test";
import {
  startBedrockServer,
  startChatServer,
  startGeminiServer,
  startKeelson,
  startMockModel,
  startResponsesServer,
  temporaryHome,
  type DialectScript,
  type TemporaryHome,
} from "@keelson/testkit";
import { CHAT, prompt } from "../front-door.ts";

const CALLS = [
  { name: "Glob", input: { pattern: "*.txt" } },
  { name: "ToolSearch", input: { query: "select:CronList" } },
  { name: "CronList", input: {} },
];
const SCRIPT: DialectScript = [
  ...CALLS.map((call) => ({ blocks: [{ call }] })),
  ...[1, 2].map(() => ({ blocks: [{ text: "done" }] })),
];
const MODEL_SCRIPT = [...CALLS.map((call) => ({ calls: [call] })), { text: "done" }, { text: "done" }];
const KEY = "sk-test-0123456789";

/** A request as its provider caches it: lists of which each begins with that of the request before. */
interface Cached {
  readonly head: unknown;
  readonly tools: readonly any[];
  readonly messages: readonly unknown[];
}

type Run = (home: TemporaryHome) => Promise<readonly Cached[]>;

/** Two runs: the first makes the calls one after the other. */
async function chat(home: TemporaryHome, args: readonly string[], env: Record<string, string>) {
  await using program = startKeelson([...CHAT, ...args], { home, env, stdin: "open" });
  program.send(prompt("go"));
  await program.waitForLine(({ type }) => type === "result");
  program.send(prompt("again"));
  program.closeStdin();
  await program.done;
}

/** Marks are no part of what is cached, and neither is a tool that only references bring in. */
const unmarked = (value: unknown): any =>
  JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === "cache_control" ? undefined : each)));

async function anthropic(home: TemporaryHome, env: Record<string, string>): Promise<readonly Cached[]> {
  await using model = await startMockModel(MODEL_SCRIPT);
  await chat(home, [], { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: KEY, ...env });
  return model.requests.map(({ body }) => {
    const { system, tools, messages } = unmarked(body);
    return { head: system, tools: tools.filter(({ defer_loading }: any) => !defer_loading), messages };
  });
}

const PROVIDERS: Readonly<Record<string, Run>> = {
  "Anthropic, in words": (home) => anthropic(home, {}),
  "Anthropic, by reference": (home) => anthropic(home, { ENABLE_TOOL_SEARCH: "true" }),
  "OpenAI chat": async (home) => {
    await using server = await startChatServer(SCRIPT);
    const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: KEY };
    await chat(home, ["--model", "openai/gpt-4.1"], env);
    return server.requests.map(({ body }: any) => ({ head: [], tools: body.tools, messages: body.messages }));
  },
  "OpenAI responses": async (home) => {
    await using server = await startResponsesServer(SCRIPT);
    const env = { AZURE_OPENAI_API_KEY: KEY, AZURE_OPENAI_ENDPOINT: `${server.url}/openai/v1` };
    await chat(home, ["--model", "azure/gpt-5"], env);
    return server.requests.map(({ body }: any) => ({
      head: body.instructions,
      tools: body.tools,
      messages: body.input,
    }));
  },
  Gemini: async (home) => {
    await using server = await startGeminiServer(SCRIPT);
    const env = { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: server.url };
    await chat(home, ["--model", "gemini/gemini-2.5-flash"], env);
    return server.requests.map(({ body }: any) => ({
      head: body.systemInstruction,
      tools: body.tools[0].functionDeclarations,
      messages: body.contents,
    }));
  },
  "Bedrock Converse": async (home) => {
    await using server = await startBedrockServer(SCRIPT);
    const env = { AWS_BEARER_TOKEN_BEDROCK: KEY, AWS_REGION: "us-east-1", ANTHROPIC_BEDROCK_BASE_URL: server.url };
    await chat(home, ["--model", "bedrock/amazon.nova-pro-v1:0"], env);
    return server.requests.map(({ body }: any) => {
      const isPoint = (block: any) => block.cachePoint !== undefined;
      const messages = body.messages.map((message: any) => ({
        ...message,
        content: message.content.filter((block: any) => !isPoint(block)),
      }));
      return { head: body.system, tools: body.toolConfig.tools.filter((tool: any) => !isPoint(tool)), messages };
    });
  },
};

test.each(Object.keys(PROVIDERS))("%s: each request begins with the one before it", async (name) => {
  using home = temporaryHome();
  home.write("a.txt", "a");
  const requests = await PROVIDERS[name]!(home);
  expect(requests.length).toBe(5);
  for (const [at, { head, tools, messages }] of requests.entries()) {
    const before = requests[at - 1];
    if (before === undefined) continue;
    expect<unknown>({
      at,
      head,
      tools: tools.slice(0, before.tools.length),
      messages: messages.slice(0, before.messages.length),
    }).toEqual({
      at,
      ...before,
    });
  }
  // Only the search added a tool, behind the others; by reference it is no part of what is cached.
  const counts = requests.map(({ tools }) => tools.length - requests[0]!.tools.length);
  expect(counts).toEqual(name.endsWith("by reference") ? [0, 0, 0, 0, 0] : [0, 0, 1, 1, 1]);
  if (counts.at(-1) === 1) expect(JSON.stringify(requests.at(-1)!.tools.at(-1))).toContain("CronList");
});
