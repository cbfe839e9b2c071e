import { startGeminiServer, stateOf, type GeminiServerOptions } from "@keelson/testkit";
import { testDialect } from "../conformance/suite.test-support.ts";
import { anyTraits, SECRET, type DialectUnderTest } from "../conformance/support.test-support.ts";
import type { Credentials } from "../server.ts";
import { geminiDialect } from "./gemini.ts";

const credentials: Credentials = {
  authorize: ({ headers }) => headers.set("x-goog-api-key", SECRET),
  secrets: () => [SECRET],
};

function under(model: string, options: GeminiServerOptions = {}): DialectUnderTest {
  return {
    name: `${model}${options.ids ? " with ids" : ""}`,
    model,
    thinkingState: (_, reply, block) => stateOf(reply, block),
    lacks: ["interleaved calls", "broken arguments", "call ids", "cache writes"],
    async start(script, more) {
      const server = await startGeminiServer(script, { ...options, ...more });
      const provider = geminiDialect.provider(
        { provider: "gemini", baseUrl: server.url, addressFrom: "GOOGLE_GEMINI_BASE_URL", credentials },
        { traits: () => ({ ...anyTraits, thinking: "adaptive" }) },
      );
      return { server, provider };
    },
  };
}

for (const dialect of [
  under("gemini-3-pro-preview"),
  under("gemini-3-flash-preview", { ids: true }),
  under("gemini-2.5-pro"),
])
  testDialect(dialect);
