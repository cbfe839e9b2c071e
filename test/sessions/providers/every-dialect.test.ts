// What holds on every provider alike, through the real program: retries are announced, an overloaded model is replaced
// by the fallback, and a tool loop with a compaction in it is legal for the strictest server.

import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import {
  runKeelson,
  startBedrockServer,
  startChatServer,
  startGeminiServer,
  startResponsesServer,
  startVertexServer,
  temporaryHome,
  type DialectScript,
  type DialectServer,
} from "@keelson/testkit";
import { messagesOf, resultOf, STREAM } from "../front-door.ts";

interface Started {
  readonly server: DialectServer;
  readonly model: string;
  /** A second model of the same provider. */
  readonly other: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: JsonObject;
}

const text = (words: string) => ({ blocks: [{ text: words }] });
const key = "sk-test-0123456789";

const DIALECTS: Readonly<Record<string, (script: DialectScript) => Promise<Started>>> = {
  async openai(script) {
    const server = await startChatServer(script);
    const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: key };
    return { server, env, model: "openai/gpt-4.1", other: "openai/gpt-4o" };
  },
  async mistral(script) {
    const server = await startChatServer(script, { mistral: true, refuses: ["stream_options"] });
    const settings = { providers: { mistral: { baseUrl: `${server.url}/v1` } } };
    const env = { MISTRAL_API_KEY: key };
    return { server, env, settings, model: "mistral/mistral-large-latest", other: "mistral/mistral-small-latest" };
  },
  async azure(script) {
    const server = await startChatServer(script, { descriptionLength: 1_024 });
    const env = { AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: server.url, OPENAI_API_VERSION: "2024-10-21" };
    return { server, env, model: "azure/gpt-4.1", other: "azure/gpt-4o" };
  },
  async responses(script) {
    const server = await startResponsesServer(script);
    const env = { AZURE_OPENAI_API_KEY: key, AZURE_OPENAI_ENDPOINT: `${server.url}/openai/v1` };
    return { server, env, model: "azure/gpt-5", other: "azure/gpt-5-mini" };
  },
  async gemini(script) {
    const server = await startGeminiServer(script, { ids: true });
    const env = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: server.url };
    return { server, env, model: "gemini/gemini-3-pro-preview", other: "gemini/gemini-2.5-flash" };
  },
  async converse(script) {
    const server = await startBedrockServer(script, { bearer: key, cache: true });
    const env = { AWS_BEARER_TOKEN_BEDROCK: key, AWS_REGION: "us-east-1", ANTHROPIC_BEDROCK_BASE_URL: server.url };
    return { server, env, model: "bedrock/us.amazon.nova-pro-v1:0", other: "bedrock/us.amazon.nova-lite-v1:0" };
  },
  async vertex(script) {
    const server = await startVertexServer(script, { token: key, project: "p", region: "us-east5" });
    const env = {
      GOOGLE_OAUTH_ACCESS_TOKEN: key,
      ANTHROPIC_VERTEX_PROJECT_ID: "p",
      CLOUD_ML_REGION: "us-east5",
      ANTHROPIC_VERTEX_BASE_URL: `${server.url}/v1`,
    };
    return { server, env, model: "vertex/claude-sonnet-4-5", other: "vertex/claude-haiku-4-5" };
  },
};

for (const [name, start] of Object.entries(DIALECTS)) {
  test(`${name}: a retry is announced with what the server said`, async () => {
    using home = temporaryHome();
    const {
      server,
      env,
      settings = {},
      model,
    } = await start([{ failure: "rate_limit", retryAfterSeconds: 0 }, text("fine")]);
    await using _ = server;
    home.settings(settings);
    const ended = await runKeelson(["-p", "hi", "--model", model, ...STREAM], { home, env });
    expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
    expect(messagesOf(ended, "system/api_retry")).toEqual([
      {
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: expect.any(Number),
        error_status: 429,
        error: "rate_limit",
        uuid: expect.any(String),
        session_id: expect.any(String),
      },
    ]);
    expect(resultOf(ended).result).toBe("fine");
  });

  test(`${name}: an overloaded model is replaced by the fallback in the middle of a tool loop`, async () => {
    using home = temporaryHome();
    home.write("a.txt", "the content\n");
    const {
      server,
      env,
      settings = {},
      model,
      other,
    } = await start([
      {
        blocks: [{ thinking: "let me see" }, { call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } }],
      },
      ...Array.from({ length: 3 }, () => ({ failure: "overloaded" as const, retryAfterSeconds: 0 })),
      text("read"),
    ]);
    await using _ = server;
    home.settings(settings);
    const args = ["-p", "hi", "--model", model, "--fallback-model", other, ...STREAM];
    const ended = await runKeelson(args, { home, env });
    expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
    expect(messagesOf(ended, "system/model_fallback")).toMatchObject([
      { original_model: model, fallback_model: other },
    ]);
    expect(resultOf(ended).result).toBe("read");
    expect(server.requests).toHaveLength(5);
  });

  test(`${name}: a session goes on after a compaction, in every request legally`, async () => {
    using home = temporaryHome();
    home.write("a.txt", "the content\n");
    const read = { call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } };
    const {
      server,
      env,
      settings = {},
      model,
    } = await start([
      { blocks: [{ thinking: "let me see" }, { text: "I look" }, read, read] },
      text("both read"),
      text("<summary>The file was read.</summary>"),
      { blocks: [{ thinking: "again" }, read] },
      text("read again"),
    ]);
    await using _ = server;
    home.settings(settings);
    const run = (prompt: string) => runKeelson(["-p", prompt, "--continue", "--model", model], { home, env });
    const first = await runKeelson(["-p", "read it twice", "--model", model], { home, env });
    expect([first.stdout, first.stderr]).toEqual(["both read\n", ""]);
    const compacted = await run("/compact");
    expect([compacted.code, compacted.stderr]).toEqual([0, ""]);
    const last = await run("once more");
    expect([last.stdout, last.stderr, server.problems]).toEqual(["read again\n", "", []]);
  });
}
