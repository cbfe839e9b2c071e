import { expect, test } from "bun:test";
import { startBedrockServer, type ScriptedAnswer } from "@keelson/testkit";
import { bearerCredentials, SECRET } from "../conformance/support.test-support.ts";
import type { Server } from "../http/server.ts";
import { bedrockDialect } from "./bedrock.ts";

const options = { signal: new AbortController().signal, timeoutMs: 5_000 };
const NOVA_ARN = "arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0";
const summary = (modelId: string, more: object = {}) => ({
  modelId,
  inputModalities: ["TEXT"],
  outputModalities: ["TEXT"],
  responseStreamingSupported: true,
  inferenceTypesSupported: ["ON_DEMAND"],
  modelLifecycle: { status: "ACTIVE" },
  ...more,
});

const MODELS = [
  summary("meta.llama3-1-70b-instruct-v1:0"),
  summary("amazon.nova-lite-v1:0", {
    inferenceTypesSupported: ["INFERENCE_PROFILE"],
    inputModalities: ["TEXT", "IMAGE"],
  }),
  summary("mistral.pixtral", { inputModalities: ["TEXT", "IMAGE"] }),
  summary("old.model", { modelLifecycle: { status: "LEGACY" } }),
  summary("batch.model", { responseStreamingSupported: false }),
];
const PAGES: Readonly<Record<string, object>> = {
  "": {
    inferenceProfileSummaries: [
      {
        inferenceProfileId: "us.amazon.nova-lite-v1:0",
        type: "SYSTEM_DEFINED",
        status: "ACTIVE",
        models: [{ modelArn: NOVA_ARN }],
      },
      { inferenceProfileId: "us.gone", type: "SYSTEM_DEFINED", status: "INACTIVE", models: [] },
    ],
    nextToken: "a+b=",
  },
  "a+b=": {
    inferenceProfileSummaries: [
      {
        inferenceProfileId: "x1",
        inferenceProfileArn: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x1",
        type: "APPLICATION",
        models: [],
      },
    ],
  },
};

function answer(path: string): ScriptedAnswer | undefined {
  const url = new URL(path, "http://h");
  if (url.pathname === "/foundation-models") return { status: 200, body: { modelSummaries: MODELS } };
  return { status: 200, body: PAGES[url.searchParams.get("nextToken") ?? ""]! };
}

const serverAt = (baseUrl: string): Server => ({
  provider: "bedrock",
  baseUrl,
  addressFrom: "ANTHROPIC_BEDROCK_BASE_URL",
  credentials: bearerCredentials,
});

test("the list has what can be asked: foundation models and inference profiles, on all pages", async () => {
  await using server = await startBedrockServer([], { bearer: SECRET, other: ({ path }) => answer(path) });
  expect(await bedrockDialect.list(serverAt(server.url), options)).toEqual([
    { id: "meta.llama3-1-70b-instruct-v1:0", images: false },
    { id: "mistral.pixtral", images: true },
    { id: "us.amazon.nova-lite-v1:0", images: true },
    { id: "arn:aws:bedrock:us-east-1:1:application-inference-profile/x1" },
  ]);
});

test("one of the two lists is enough", async () => {
  const denied: ScriptedAnswer = {
    status: 403,
    headers: { "x-amzn-errortype": "AccessDeniedException" },
    body: { message: "no" },
  };
  await using some = await startBedrockServer([], {
    other: ({ path }) => (path.startsWith("/foundation") ? answer(path) : denied),
  });
  expect(await bedrockDialect.list(serverAt(some.url), options)).toHaveLength(2);
  await using none = await startBedrockServer([], { other: () => denied });
  await expect(bedrockDialect.list(serverAt(none.url), options)).rejects.toMatchObject({
    kind: "authentication_failed",
  });
  await using odd = await startBedrockServer([], { other: () => ({ status: 200, body: "<html>" }) });
  await expect(bedrockDialect.list(serverAt(odd.url), options)).rejects.toThrow("check ANTHROPIC_BEDROCK_BASE_URL");
});

test("models are listed at the control plane of the region", async () => {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Response.json({ modelSummaries: [], inferenceProfileSummaries: [] });
  };
  await bedrockDialect.list({ ...serverAt("https://bedrock-runtime.eu-west-1.amazonaws.com"), fetch }, options);
  await bedrockDialect.list({ ...serverAt("https://gateway.example/bedrock"), fetch }, options);
  expect(asked).toEqual([
    "https://bedrock.eu-west-1.amazonaws.com/foundation-models?byOutputModality=TEXT",
    "https://bedrock.eu-west-1.amazonaws.com/inference-profiles?maxResults=1000",
    "https://gateway.example/bedrock/foundation-models?byOutputModality=TEXT",
    "https://gateway.example/bedrock/inference-profiles?maxResults=1000",
  ]);
});
