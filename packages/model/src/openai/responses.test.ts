import { startResponsesServer, thinkingStateOf } from "@keelson/testkit";
import { testDialect } from "../conformance/suite.test-support.ts";
import { anyTraits, bearerCredentials, type DialectUnderTest } from "../conformance/support.test-support.ts";
import { responsesDialect } from "./responses.ts";

function underTest(name: string, model: string, more: Partial<DialectUnderTest> = {}): DialectUnderTest {
  return {
    name,
    model,
    async start(script, options) {
      const server = await startResponsesServer(script, options);
      const address = { provider: "openai", baseUrl: `${server.url}/v1`, addressFrom: "OPENAI_BASE_URL" };
      const provider = responsesDialect.provider(
        { ...address, credentials: bearerCredentials },
        { traits: () => anyTraits, sessionId: "session-1" },
      );
      return { server, provider };
    },
    ...more,
  };
}

testDialect(underTest("Responses", "gpt-4.1"));
testDialect(
  underTest("Responses with reasoning", "gpt-5", { thinkingState: (_, reply, block) => thinkingStateOf(reply, block) }),
);
