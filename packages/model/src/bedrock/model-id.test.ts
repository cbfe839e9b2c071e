import { expect, test } from "bun:test";
import { outsideOf } from "./bedrock.test-support.ts";
import { bedrockServer } from "./bedrock-server.ts";
import { bedrockFamily, bedrockModelId, isOpaque, withoutRegion } from "./model-id.ts";

test.each([
  ["us-east-1", {}, "us"],
  ["us-gov-west-1", {}, "us-gov"],
  ["eu-central-1", {}, "eu"],
  ["ap-northeast-1", {}, "apac"],
  ["ca-central-1", {}, "global"],
  ["eu-central-1", { ANTHROPIC_BEDROCK_REGION_PREFIX: "jp" }, "jp"],
])("models in %s %p have the prefix %s", (region, env, prefix) => {
  expect(bedrockModelId("claude-opus-4-8", region, env)).toBe(`${prefix}.anthropic.claude-opus-4-8`);
});

test("the vendor's names become Bedrock's; others stay", () => {
  const id = (name: string) => bedrockModelId(name, "us-east-1", {});
  expect(id("claude-haiku-4-5")).toBe("us.anthropic.claude-haiku-4-5-20251001-v1:0");
  expect(id("claude-sonnet-4-5-20250929")).toBe("us.anthropic.claude-sonnet-4-5-20250929-v1:0");
  expect(id("claude-opus-5-5")).toBe("us.anthropic.claude-opus-5-5");
  expect(id("eu.anthropic.claude-opus-5-5")).toBe("eu.anthropic.claude-opus-5-5");
  expect(id("amazon.nova-pro-v1:0")).toBe("amazon.nova-pro-v1:0");
});

test("a model is the same in every spelling", () => {
  const names = [
    "claude-opus-4-5-20251101",
    "anthropic.claude-opus-4-5-20251101-v1:0",
    "us-gov.anthropic.claude-opus-4-5-20251101-v1:0",
    "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-5-20251101-v1:0",
  ];
  expect(new Set(names.map(bedrockFamily))).toEqual(new Set(["claude-opus-4-5"]));
  expect(isOpaque(names[3]!)).toBe(false);
  expect(isOpaque("arn:aws:bedrock:us-east-1:1:application-inference-profile/x1")).toBe(true);
  expect(isOpaque("arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-pro-v1:0")).toBe(false);
});

test("withoutRegion() leaves the model of an inference profile", () => {
  expect(withoutRegion("us-gov.anthropic.claude-x")).toBe("anthropic.claude-x");
  expect(withoutRegion("global.amazon.nova-pro-v1:0")).toBe("amazon.nova-pro-v1:0");
  expect(withoutRegion("meta.llama3-1-70b")).toBe("meta.llama3-1-70b");
  expect(withoutRegion("ai21.jamba-1-5-large-v1:0")).toBe("ai21.jamba-1-5-large-v1:0");
});

const addressWith = async (env: Record<string, string>, baseUrl?: string) => {
  const made = await bedrockServer(env, { outside: outsideOf(), ...(baseUrl ? { baseUrl } : {}) });
  return [made.baseUrl, made.addressFrom];
};

test("the address is that of the region, unless the user set another one", async () => {
  expect(await addressWith({ AWS_REGION: "eu-west-1" })).toEqual([
    "https://bedrock-runtime.eu-west-1.amazonaws.com",
    "AWS_REGION",
  ]);
  expect(await addressWith({})).toEqual(["https://bedrock-runtime.us-east-1.amazonaws.com", "AWS_REGION"]);
  expect((await addressWith({ AWS_REGION: "cn-north-1" }))[0]).toBe(
    "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
  );
  expect((await addressWith({ AWS_USE_FIPS_ENDPOINT: "true" }))[0]).toContain("bedrock-runtime-fips.us-east-1");
  expect(await addressWith({ ANTHROPIC_BEDROCK_BASE_URL: "http://127.0.0.1:1/b/" })).toEqual([
    "http://127.0.0.1:1/b",
    "ANTHROPIC_BEDROCK_BASE_URL",
  ]);
  expect(await addressWith({ ANTHROPIC_BEDROCK_BASE_URL: "http://a" }, "http://b/")).toEqual([
    "http://b",
    '"baseUrl" of providers.bedrock',
  ]);
  await expect(addressWith({ AWS_REGION: "evil.example/x" })).rejects.toThrow("is not an AWS region; check AWS_REGION");
});

test("the service tier is sent with every request", async () => {
  const env = { ANTHROPIC_BEDROCK_SERVICE_TIER: "flex" };
  expect((await bedrockServer(env, { outside: outsideOf(), headers: { "x-team": "blue" } })).headers).toEqual({
    "x-amzn-bedrock-service-tier": "flex",
    "x-team": "blue",
  });
});
