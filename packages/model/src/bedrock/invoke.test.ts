import type { ModelRequest } from "@keelson/engine";
import { startBedrockServer, thinkingStateOf } from "@keelson/testkit";
import { testDialect } from "../conformance/suite.test-support.ts";
import { anyTraits, bearerCredentials, SECRET } from "../conformance/support.test-support.ts";
import { bedrockDialect } from "./bedrock.ts";

testDialect({
  name: "Claude on Bedrock",
  model: "eu.anthropic.claude-opus-4-5-20251101-v1:0",
  thinkingState: (_, reply, block) => thinkingStateOf(reply, block),
  lacks: ["billing errors", "interleaved calls", "untold usage"],
  async start(script, options) {
    const server = await startBedrockServer(script, { bearer: SECRET, ...options });
    const provider = bedrockDialect.provider(
      {
        provider: "bedrock",
        baseUrl: server.url,
        addressFrom: "ANTHROPIC_BEDROCK_BASE_URL",
        credentials: bearerCredentials,
      },
      { traits: () => anyTraits },
    );
    // With betas, a refusal is asked once more without them.
    const plainly = (request: ModelRequest) => ({ ...request, betas: [] });
    return {
      server,
      provider: {
        id: provider.id,
        stream: (request, signal) => provider.stream(plainly(request), signal),
        plain: (request, signal) => provider.plain(plainly(request), signal),
      },
    };
  },
});
