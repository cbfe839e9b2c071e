import { expect, test } from "bun:test";
import { outsideOf } from "../bedrock/bedrock.test-support.ts";
import type { Env } from "../profiles/profiles.ts";
import { messagesCloudServer, type MessagesCloud } from "./clouds.ts";

/** The address and the headers of a request. */
async function asked(cloud: MessagesCloud, env: Env, baseUrl?: string) {
  const outside = outsideOf({ now: () => Date.UTC(2026, 0, 2) });
  const server = await messagesCloudServer(cloud, env, { outside, ...(baseUrl ? { baseUrl } : {}) });
  const headers = new Headers(server.headers);
  const url = new URL(`${server.baseUrl}/v1/messages`);
  await server.credentials.authorize({ method: "POST", url, headers, body: undefined });
  return {
    url: server.baseUrl,
    from: server.addressFrom,
    headers: Object.fromEntries(headers),
    secrets: server.credentials.secrets(),
  };
}

const failureOf = (cloud: MessagesCloud, env: Env) =>
  asked(cloud, env).then(
    () => "no error",
    (error: Error) => error.message,
  );

const FOUNDRY = { ANTHROPIC_FOUNDRY_RESOURCE: "my-team" };

test("Foundry has the address of its resource, and a key or a token", async () => {
  expect(await asked("foundry", { ...FOUNDRY, ANTHROPIC_FOUNDRY_API_KEY: "foundry-key" })).toEqual({
    url: "https://my-team.services.ai.azure.com/anthropic",
    from: "ANTHROPIC_FOUNDRY_RESOURCE",
    headers: { "x-api-key": "foundry-key" },
    secrets: ["foundry-key"],
  });
  const own = {
    ...FOUNDRY,
    ANTHROPIC_FOUNDRY_BASE_URL: "http://127.0.0.1:1/f/",
    ANTHROPIC_FOUNDRY_AUTH_TOKEN: "token",
  };
  expect(await asked("foundry", own)).toMatchObject({
    url: "http://127.0.0.1:1/f",
    headers: { authorization: "Bearer token" },
  });
  expect(
    await asked("foundry", { ...FOUNDRY, CLAUDE_CODE_SKIP_FOUNDRY_AUTH: "1", ANTHROPIC_FOUNDRY_API_KEY: "k" }),
  ).toMatchObject({
    headers: {},
    secrets: [],
  });
});

test("an address of one's own may need no key, and a key from elsewhere comes first", async () => {
  expect(await asked("foundry", { ANTHROPIC_FOUNDRY_BASE_URL: "http://127.0.0.1:1" })).toMatchObject({ headers: {} });
  expect(await asked("foundry", {}, "http://127.0.0.1:2/")).toMatchObject({
    url: "http://127.0.0.1:2",
    from: '"baseUrl" of providers.foundry',
    headers: {},
  });
  const credentials = { authorize() {}, secrets: () => ["stored"] };
  const env = { ...FOUNDRY, ANTHROPIC_FOUNDRY_API_KEY: "foundry-key" };
  expect((await messagesCloudServer("foundry", env, { outside: outsideOf(), credentials })).credentials).toBe(
    credentials,
  );
});

test("Foundry without an address or a key names the variable", async () => {
  expect(await failureOf("foundry", { ANTHROPIC_FOUNDRY_API_KEY: "k" })).toBe(
    'No address for "foundry": set ANTHROPIC_FOUNDRY_RESOURCE or ANTHROPIC_FOUNDRY_BASE_URL',
  );
  expect(
    await failureOf("foundry", { ANTHROPIC_FOUNDRY_RESOURCE: "evil.example/", ANTHROPIC_FOUNDRY_API_KEY: "k" }),
  ).toContain("check ANTHROPIC_FOUNDRY_RESOURCE");
  expect(await failureOf("foundry", FOUNDRY)).toBe(
    'No key for "foundry": set ANTHROPIC_FOUNDRY_API_KEY or ANTHROPIC_FOUNDRY_AUTH_TOKEN, or run keelson auth login foundry',
  );
});

const KEYS = { AWS_ACCESS_KEY_ID: "AKIDTEST", AWS_SECRET_ACCESS_KEY: "secret-key", AWS_REGION: "eu-west-1" };

test("Mantle has a bearer key, or signatures", async () => {
  expect(await asked("mantle", { ...KEYS, AWS_BEARER_TOKEN_BEDROCK: "bearer-key" })).toMatchObject({
    url: "https://bedrock-mantle.eu-west-1.api.aws/anthropic",
    headers: { authorization: "Bearer bearer-key" },
  });
  const signed = await asked("mantle", { ...KEYS, ANTHROPIC_BEDROCK_MANTLE_BASE_URL: "http://127.0.0.1:1" });
  expect(signed.headers["authorization"]).toContain(
    "Credential=AKIDTEST/20260102/eu-west-1/bedrock-mantle/aws4_request",
  );
  expect(signed.from).toBe("ANTHROPIC_BEDROCK_MANTLE_BASE_URL");
  expect((await asked("mantle", { CLAUDE_CODE_SKIP_MANTLE_AUTH: "1" }, "http://127.0.0.1:2")).headers).toEqual({});
});

test("Claude Platform on AWS names the workspace, and has its key or signatures", async () => {
  const env = { ...KEYS, ANTHROPIC_AWS_WORKSPACE_ID: "wrkspc_1", AWS_BEARER_TOKEN_BEDROCK: "not-for-this" };
  expect(await asked("anthropic-aws", { ...env, ANTHROPIC_AWS_API_KEY: "workspace-key" })).toMatchObject({
    url: "https://aws-external-anthropic.eu-west-1.api.aws",
    headers: { "x-api-key": "workspace-key", "anthropic-workspace-id": "wrkspc_1" },
    secrets: ["workspace-key"],
  });
  expect((await asked("anthropic-aws", env)).headers["authorization"]).toContain(
    "/aws-external-anthropic/aws4_request",
  );
  expect(await failureOf("anthropic-aws", KEYS)).toBe(
    'No workspace for "anthropic-aws": set ANTHROPIC_AWS_WORKSPACE_ID',
  );
  const skipped = { ...env, CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH: "1" };
  expect((await asked("anthropic-aws", skipped)).headers).toEqual({ "anthropic-workspace-id": "wrkspc_1" });
});
