// A Gemini provider and its strict server, for the tests in this folder.

import { startGeminiServer, type DialectScript, type GeminiServerOptions } from "@keelson/testkit";
import { anyTraits, SECRET } from "../conformance/support.test-support.ts";
import type { ModelTraits } from "../dialect.ts";
import type { Credentials, Server } from "../http/server.ts";
import { geminiDialect } from "./gemini.ts";

const credentials: Credentials = {
  authorize: ({ headers }) => headers.set("x-goog-api-key", SECRET),
  secrets: () => [SECRET],
};

export const serverAt = (baseUrl: string): Server => ({
  provider: "gemini",
  baseUrl,
  addressFrom: "GOOGLE_GEMINI_BASE_URL",
  credentials,
});

export async function startGemini(
  script: DialectScript,
  options: GeminiServerOptions = {},
  traits: Partial<ModelTraits> = {},
) {
  const server = await startGeminiServer(script, options);
  const provider = geminiDialect.provider(serverAt(server.url), {
    traits: () => ({ ...anyTraits, thinking: "adaptive", ...traits }),
  });
  return { server, provider, [Symbol.asyncDispose]: () => server.close() };
}
