// A machine without files, commands or services, and requests to Bedrock, for its tests.

import type { ModelRequest } from "@keelson/engine";
import type { JsonObject } from "@keelson/protocol";
import {
  startBedrockServer,
  type BedrockServerOptions,
  type DialectScript,
  type DialectServer,
} from "@keelson/testkit";
import { anyTraits, bearerCredentials, SECRET } from "../conformance/support.test-support.ts";
import type { DialectOptions } from "../dialect.ts";
import type { PlainProvider } from "../wrappers/retry.ts";
import type { Server } from "../http/server.ts";
import type { AwsOutside } from "./aws-credentials.ts";
import { bedrockDialect } from "./bedrock.ts";

export function outsideOf(given: Partial<AwsOutside> = {}): AwsOutside {
  return {
    fetch: () => Promise.reject(new Error("no network")),
    readFile: async () => undefined,
    now: () => Date.now(),
    run: async () => ({ code: 127, stdout: "" }),
    ...given,
  };
}

export const CLAUDE = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
export const NOVA = "us.amazon.nova-pro-v1:0";
export const LLAMA = "meta.llama3-1-70b-instruct-v1:0";

export function requestTo(model: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: "user", content: "hi" }] as const;
  return { model, max_tokens: 1_000, system: [], messages, tools: [], betas: [], ...more };
}

export const TOOLS: ModelRequest["tools"] = [
  { name: "Read", description: "Reads", input_schema: { type: "object", properties: {}, additionalProperties: false } },
];

export const DONE = { blocks: [{ text: "done" }] };

interface Started extends AsyncDisposable {
  readonly server: DialectServer;
  readonly provider: PlainProvider;
}

/** A server with this script, and a provider for it. */
export async function startBedrock(
  script: DialectScript,
  options: BedrockServerOptions & {
    readonly client?: Partial<Server>;
    readonly extraBody?: JsonObject;
    readonly traits?: Partial<ReturnType<DialectOptions["traits"]>>;
  } = {},
): Promise<Started> {
  const { client, traits, extraBody, ...rest } = options;
  const server = await startBedrockServer(script, { ...(rest.keys ? {} : { bearer: SECRET }), ...rest });
  const provider = bedrockDialect.provider(
    { provider: "bedrock", baseUrl: server.url, addressFrom: "X", credentials: bearerCredentials, ...client },
    { traits: () => ({ ...anyTraits, ...traits }), sessionId: "session-1", ...(extraBody ? { extraBody } : {}) },
  );
  return { server, provider, [Symbol.asyncDispose]: () => server.close() };
}
