import { startBedrockServer, thinkingStateOf, type BedrockServerOptions } from "@keelson/testkit";
import { testDialect } from "../../conformance/suite.test-support.ts";
import { anyTraits, SECRET, type DialectUnderTest } from "../../conformance/support.test-support.ts";
import { bedrockCredentials } from "../aws-credentials.ts";
import { bedrockDialect } from "../bedrock.ts";
import { outsideOf } from "../bedrock.test-support.ts";

function under(model: string, options: BedrockServerOptions = {}): DialectUnderTest {
  const keys = { accessKeyId: "AKIDTEST", secretAccessKey: SECRET, sessionToken: "session-token", region: "eu-west-1" };
  const env = {
    AWS_ACCESS_KEY_ID: keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_SESSION_TOKEN: keys.sessionToken,
  };
  return {
    name: `Converse with ${model}`,
    model,
    thinkingState: (_, reply, block) => thinkingStateOf(reply, block),
    lacks: ["billing errors"],
    async start(script, more) {
      const server = await startBedrockServer(script, { keys, ...options, ...more });
      const credentials = bedrockCredentials(env, keys.region, outsideOf());
      const provider = bedrockDialect.provider(
        { provider: "bedrock", baseUrl: server.url, addressFrom: "ANTHROPIC_BEDROCK_BASE_URL", credentials },
        { traits: () => anyTraits },
      );
      return { server, provider };
    },
  };
}

testDialect(under("us.amazon.nova-pro-v1:0", { cache: true }));
testDialect(under("deepseek.r1-v1:0"));
