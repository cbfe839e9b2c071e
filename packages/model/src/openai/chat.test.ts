import { startChatServer, type ChatServerOptions } from "@keelson/testkit";
import { testDialect } from "../conformance/suite.test-support.ts";
import { anyTraits, bearerCredentials, type DialectUnderTest } from "../conformance/support.test-support.ts";
import type { Compat, ModelTraits } from "../dialect.ts";
import { chatDialect } from "./chat.ts";

function underTest(
  name: string,
  provider: string,
  own: ChatServerOptions = {},
  more: Partial<DialectUnderTest> = {},
  known: { readonly compat?: Compat; readonly traits?: Partial<ModelTraits> } = {},
): DialectUnderTest {
  return {
    name,
    model: "some-model",
    async start(script, options) {
      const server = await startChatServer(script, { ...own, ...options });
      const address = { provider, baseUrl: `${server.url}/v1`, addressFrom: "OPENAI_BASE_URL" };
      const made = chatDialect.provider(
        { ...address, credentials: bearerCredentials },
        {
          ...known,
          traits: () => ({ ...anyTraits, ...known.traits }),
        },
      );
      return { server, provider: made };
    },
    ...more,
  };
}

testDialect(underTest("Chat Completions", "openai"));
testDialect(
  underTest(
    "DeepSeek",
    "deepseek",
    { thinking: "reasoning_content" },
    { thinkingState: (text) => text },
    { traits: { reasons: true } },
  ),
);
testDialect(
  underTest(
    "OpenRouter",
    "openrouter",
    { thinking: "reasoning_details" },
    { thinkingState: (_, reply, block) => `state-${reply}-${block}` },
  ),
);
testDialect(
  underTest(
    "a local server",
    "local",
    {
      stringToolContent: true,
      thinking: "tags",
      refuses: ["max_completion_tokens", "reasoning_effort", "parallel_tool_calls", "prompt_cache_key"],
    },
    {},
    { compat: { stringToolContent: true } },
  ),
);
testDialect(
  underTest(
    "Mistral",
    "mistral",
    { mistral: true, refuses: ["stream_options", "max_completion_tokens"] },
    { lacks: ["prompts after results"] },
  ),
);
testDialect(underTest("Azure", "azure", { descriptionLength: 1_024 }));
testDialect(
  underTest("Ollama", "ollama", { thinking: "reasoning", noLinks: true, refuses: ["max_completion_tokens"] }),
);
