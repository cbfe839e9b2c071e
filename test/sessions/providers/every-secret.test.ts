// Credentials of every kind, sent to a server that quotes whatever it gets: they are in no message, transcript, debug log,
// time line, export or telemetry report.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import { runKeelson, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf, STREAM } from "../front-door.ts";

const SECRET = "very-secret-0123456789abcdef";
const OTHER = "other-secret-fedcba9876543210";

interface Kind {
  readonly model: string;
  env(url: string): Readonly<Record<string, string>>;
  settings?(url: string, home: TemporaryHome): JsonObject;
  /** Where the user wrote the secret. */
  readonly writtenIn?: readonly string[];
}

const block = (url: string, api: string, more: JsonObject) => ({
  providers: { local: { api, baseUrl: `${url}/v1`, ...more } },
});

const KINDS: Readonly<Record<string, Kind>> = {
  "a key of Anthropic": {
    model: "claude-sonnet-4-5",
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: SECRET }),
  },
  "a token and a header for Anthropic's API": {
    model: "claude-sonnet-4-5",
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: SECRET,
      ANTHROPIC_CUSTOM_HEADERS: `x-gateway-key: ${OTHER}`,
    }),
  },
  "a key of OpenAI": {
    model: "openai/gpt-4.1",
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: SECRET }),
  },
  "a key of Azure": {
    model: "azure/gpt-5",
    env: (url) => ({ AZURE_OPENAI_ENDPOINT: `${url}/openai/v1`, AZURE_OPENAI_API_KEY: SECRET }),
  },
  "a key of Foundry": {
    model: "foundry/claude-sonnet-4-5",
    env: (url) => ({ ANTHROPIC_FOUNDRY_BASE_URL: url, ANTHROPIC_FOUNDRY_API_KEY: SECRET }),
  },
  "a key of Gemini": {
    model: "gemini/gemini-2.5-flash",
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: SECRET }),
  },
  "a token of Google": {
    model: "vertex/claude-sonnet-4-5",
    env: (url) => ({
      ANTHROPIC_VERTEX_BASE_URL: `${url}/v1`,
      GOOGLE_OAUTH_ACCESS_TOKEN: SECRET,
      ANTHROPIC_VERTEX_PROJECT_ID: "p",
      CLOUD_ML_REGION: "us-east5",
    }),
  },
  "keys of AWS": {
    model: "bedrock/us.amazon.nova-pro-v1:0",
    env: (url) => ({
      ANTHROPIC_BEDROCK_BASE_URL: url,
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_SESSION_TOKEN: OTHER,
      AWS_REGION: "us-east-1",
    }),
  },
  "a key of Bedrock": {
    model: "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    env: (url) => ({ ANTHROPIC_BEDROCK_BASE_URL: url, AWS_BEARER_TOKEN_BEDROCK: SECRET, AWS_REGION: "us-east-1" }),
  },
  "the key of a command": {
    model: "local/m",
    env: () => ({}),
    settings: (url, home) => block(url, "openai-responses", { apiKeyHelper: `cat ${home.write("~/key.txt", SECRET)}` }),
    writtenIn: ["/home/key.txt"],
  },
  "a header and a query of the settings": {
    model: "local/m",
    env: () => ({ LOCAL_KEY: "unimportant" }),
    settings: (url) =>
      block(url, "openai-chat", { apiKeyEnv: "LOCAL_KEY", headers: { "x-auth": SECRET }, query: { api_key: OTHER } }),
    writtenIn: ["/home/.claude/settings.json"],
  },
};

/** Refuses everything, in a shape that every dialect reads, and quotes what it was sent. */
function startQuoting() {
  const seen: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      await request.arrayBuffer();
      const quote = `You sent ${request.url} with ${JSON.stringify(Object.fromEntries(request.headers))}`;
      seen.push(quote);
      const error = { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message: quote };
      return Response.json({ type: "error", message: quote, error }, { status: 400 });
    },
  });
  return { seen, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

function startCollector() {
  const received: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      received.push(await request.text());
      return new Response("{}");
    },
  });
  return { received, url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

const telemetry = (url: string) => ({
  CLAUDE_CODE_ENABLE_TELEMETRY: "1",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_LOG_USER_PROMPTS: "1",
  OTEL_LOG_TOOL_DETAILS: "1",
});

function filesWith(home: TemporaryHome, text: string): readonly string[] {
  return readdirSync(home.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "latin1").includes(text))
    .map((file) => file.slice(home.root.length));
}

test.each(Object.keys(KINDS))("%s is written nowhere", async (name) => {
  const kind = KINDS[name]!;
  using home = temporaryHome();
  await using server = startQuoting();
  await using collector = startCollector();
  home.settings(kind.settings?.(server.url, home) ?? {});
  const env = {
    ANTHROPIC_API_KEY: "",
    ...kind.env(server.url),
    ...telemetry(collector.url),
    KEELSON_TRACE: "1",
  };
  const log = join(home.root, "debug.log");
  const args = ["-p", "hi", "--model", kind.model, "--debug", "--debug-file", log, "--verbose"];
  const ended = await runKeelson([...args, ...STREAM], { home, env });
  const exported = await runKeelson(["export", resultOf(ended).session_id, "--format", "json"], { home, env });

  expect(resultOf(ended)).toMatchObject({ is_error: true, result: expect.stringContaining("You sent") });
  // The server got it, and quoted it.
  expect(server.seen.join()).toMatch(/secret/);
  expect(collector.received.join()).toContain("You sent");
  expect(readFileSync(log, "utf8")).not.toBe("");
  const shown = [ended.stdout, ended.stderr, exported.stdout, exported.stderr, ...collector.received].join("\n");
  for (const secret of [SECRET, OTHER]) {
    expect(shown).not.toContain(secret);
    expect(filesWith(home, secret).filter((file) => !kind.writtenIn?.includes(file))).toEqual([]);
  }
});
