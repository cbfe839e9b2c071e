// Sessions on Amazon Bedrock and on the clouds that offer the Messages API, through the real program.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startBedrockServer,
  startMockModel,
  temporaryHome,
  testUnless,
  type TemporaryHome,
} from "@keelson/testkit";
import { messagesOf, resultOf, STREAM } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";

const SECRET = "secret-access-key-0123456789";
const KEYS = {
  accessKeyId: "AKIDPROFILE",
  secretAccessKey: SECRET,
  sessionToken: "session-token-1",
  region: "eu-west-1",
};
const output = JSON.stringify({
  Version: 1,
  AccessKeyId: KEYS.accessKeyId,
  SecretAccessKey: SECRET,
  SessionToken: KEYS.sessionToken,
});

/** Every file that the program wrote, except what the test itself put there. */
function written(home: TemporaryHome, folder = home.home): string {
  return readdirSync(folder)
    .filter((name) => name !== ".aws" && name !== "keys.json")
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isDirectory() ? written(home, path) : readFileSync(path, "utf8")))
    .join("\n");
}

test("Claude on Bedrock: credentials and region of a profile, signed requests, tools run", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  const keys = home.write("~/keys.json", output);
  home.write("~/.aws/config", `[profile work]\nregion = eu-west-1\ncredential_process = cat ${keys}\n`);
  await using server = await startBedrockServer(
    [
      {
        blocks: [
          { thinking: "let me look" },
          { call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } },
        ],
      },
      { blocks: [{ text: "It says: the content" }] },
    ],
    { keys: KEYS },
  );
  const env = { CLAUDE_CODE_USE_BEDROCK: "1", AWS_PROFILE: "work", ANTHROPIC_BEDROCK_BASE_URL: server.url };

  const ended = await runKeelson(["-p", "what is in a.txt?", ...STREAM], { home, env });

  expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "It says: the content" });
  expect(messagesOf(ended, "system/init")[0].model).toBe("eu.anthropic.claude-opus-5-5");
  const [first, second] = server.requests;
  expect(first!.path).toBe("/model/eu.anthropic.claude-opus-5-5/invoke-with-response-stream");
  expect(second!.parts.slice(-3)).toEqual([
    { from: "assistant", state: "state-1-0" },
    { from: "assistant", call: expect.objectContaining({ name: "Read" }) },
    { from: "tool", result: expect.objectContaining({ text: expect.stringContaining("the content") }) },
  ]);
  expect(ended.stdout + written(home)).not.toMatch(/secret-access-key|session-token-1/);
});

test("another model on Bedrock, through Converse, with keys in variables", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  await using server = await startBedrockServer(
    [
      { blocks: [{ text: "Let me see" }, { call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } }] },
      { blocks: [{ text: "It says: the content" }] },
    ],
    { keys: KEYS, cache: true },
  );
  const env = {
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_SESSION_TOKEN: KEYS.sessionToken,
    AWS_REGION: KEYS.region,
    ANTHROPIC_BEDROCK_BASE_URL: server.url,
  };
  const args = ["-p", "what is in a.txt?", "--model", "bedrock/eu.amazon.nova-pro-v1:0", ...STREAM];
  const ended = await runKeelson(args, { home, env });
  expect([ended.code, ended.stderr, server.problems]).toEqual([0, "", []]);
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "It says: the content" });
  expect(server.requests.map(({ path }) => path)).toEqual(
    [1, 2].map(() => "/model/eu.amazon.nova-pro-v1%3A0/converse-stream"),
  );
  expect(ended.stdout + written(home)).not.toMatch(/secret-access-key|session-token-1/);
});

test("awsAuthRefresh of the user's settings runs after refused credentials; the project's does not", async () => {
  using home = temporaryHome();
  const file = home.write(
    "~/.aws/credentials",
    "[default]\naws_access_key_id = AKIDOLD\naws_secret_access_key = old\n",
  );
  const fresh = home.write(
    "~/.aws/fresh",
    `[default]\naws_access_key_id = AKIDPROFILE\naws_secret_access_key = ${SECRET}\n`,
  );
  const refused = { failure: "authentication_failed" } as const;
  await using server = await startBedrockServer([
    refused,
    ({ headers }) => (headers["authorization"]!.includes("AKIDPROFILE") ? { blocks: [{ text: "hello" }] } : refused),
    refused,
  ]);
  const env = { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "eu-west-1", ANTHROPIC_BEDROCK_BASE_URL: server.url };
  home.settings({ awsAuthRefresh: `cp ${fresh} ${file}` });
  const ended = await runKeelson(["-p", "hi"], { home, env });
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([0, "hello\n", ""]);

  home.settings({});
  home.write(".claude/settings.json", { awsAuthRefresh: "touch ran", awsCredentialExport: "touch ran" });
  const failed = await runKeelson(["-p", "hi"], { home, env });
  expect([failed.code, readdirSync(home.project).includes("ran")]).toEqual([1, false]);
  expect(server.requests).toHaveLength(3);
});

const shielded = testUnless(confinementMissing(), test);

shielded.each([
  ["where they are", {}],
  ["elsewhere", { AWS_CONFIG_FILE: "aws-config", AWS_SHARED_CREDENTIALS_FILE: "aws-credentials" }],
])("a command does not choose what prints the keys in the next session, with AWS's files %s", async (_, named) => {
  using home = temporaryHome();
  await using server = await startBedrockServer([]);
  const ran = join(home.root, "ran");
  const names = Object.values(named);
  const [config, keys] = names.length > 0 ? names : ["~/.aws/config", "~/.aws/credentials"];
  const planted = `printf '[default]\\ncredential_process = touch ${ran}\\n' > ${config}; cp ${config} ${keys}`;
  home.write(
    "build.sh",
    `mkdir -p ~/.aws; ${planted}; mkdir -p ~/.aws/sso/cache && touch ~/.aws/sso/cache/t && echo signed in`,
  );
  const build = { calls: [{ name: "Bash", input: { command: "sh build.sh" } }] };
  await using model = await startMockModel([build, { text: "done" }]);
  const ended = await runKeelson(["-p", "hi", ...STREAM, "--allowedTools", "Bash"], {
    home,
    url: model.url,
    env: named,
  });
  expect(JSON.stringify(messagesOf(ended, "user"))).toContain("signed in");
  const env = {
    CLAUDE_CODE_USE_BEDROCK: "1",
    AWS_REGION: "eu-west-1",
    ANTHROPIC_BEDROCK_BASE_URL: server.url,
    ...named,
  };
  const { code } = await runKeelson(["-p", "hi"], { home, env });
  expect([code, existsSync(ran)]).toEqual([1, false]);
});

test("without AWS credentials, the error says what to set, before any request", async () => {
  using home = temporaryHome();
  await using server = await startBedrockServer([]);
  const env = {
    CLAUDE_CODE_USE_BEDROCK: "1",
    AWS_EC2_METADATA_DISABLED: "true",
    ANTHROPIC_BEDROCK_BASE_URL: server.url,
  };
  const ended = await runKeelson(["-p", "hi"], { home, env });
  expect([ended.code, server.requests.length]).toEqual([1, 0]);
  expect(ended.stdout + ended.stderr).toContain("No AWS credentials found; set AWS_BEARER_TOKEN_BEDROCK");
});

test.each([
  [
    "Foundry",
    "CLAUDE_CODE_USE_FOUNDRY",
    (url: string) => ({ ANTHROPIC_FOUNDRY_BASE_URL: url, ANTHROPIC_FOUNDRY_API_KEY: "cloud-key-12345" }),
    { "x-api-key": "cloud-key-12345" },
    "claude-sonnet-4-5",
  ],
  [
    "Mantle",
    "CLAUDE_CODE_USE_MANTLE",
    (url: string) => ({ ANTHROPIC_BEDROCK_MANTLE_BASE_URL: url, AWS_BEARER_TOKEN_BEDROCK: "cloud-key-12345" }),
    { authorization: "Bearer cloud-key-12345" },
    "anthropic.claude-opus-5-5",
  ],
  [
    "Claude Platform on AWS",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
    (url: string) => ({
      ANTHROPIC_AWS_BASE_URL: url,
      ANTHROPIC_AWS_API_KEY: "cloud-key-12345",
      ANTHROPIC_AWS_WORKSPACE_ID: "wrkspc_1",
    }),
    { "x-api-key": "cloud-key-12345", "anthropic-workspace-id": "wrkspc_1" },
    "claude-opus-5-5",
  ],
] as const)("%s is asked as the Messages API is, at its own address", async (_, variable, more, headers, model) => {
  using home = temporaryHome();
  await using server = await startMockModel([{ text: "hello" }]);
  const ended = await runKeelson(["-p", "hi"], { home, env: { [variable]: "1", ...more(server.url) } });
  expect([ended.code, ended.stdout, ended.stderr]).toEqual([0, "hello\n", ""]);
  const [request] = server.requests;
  expect(request!.path).toBe("/v1/messages?beta=true");
  expect(request!.headers).toMatchObject(headers);
  expect(request!.body.model).toBe(model);
  expect(written(home)).not.toContain("cloud-key-12345");
});

test("a session goes from Converse to Claude on Bedrock and back, each with its own thinking", async () => {
  using home = temporaryHome();
  home.write("a.txt", "the content\n");
  const look = (thinking: string) => ({
    blocks: [{ thinking }, { call: { name: "Read", input: { file_path: `${home.project}/a.txt` } } }],
  });
  await using server = await startBedrockServer(
    [
      look("nova thinks"),
      { blocks: [{ text: "one" }] },
      look("claude thinks"),
      { blocks: [{ text: "two" }] },
      { blocks: [{ text: "three" }] },
    ],
    { bearer: "bedrock-key-12345", cache: true },
  );
  const env = {
    AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-12345",
    AWS_REGION: "eu-west-1",
    ANTHROPIC_BEDROCK_BASE_URL: server.url,
  };
  const [nova, claude] = ["bedrock/eu.amazon.nova-pro-v1:0", "bedrock/eu.anthropic.claude-opus-4-5-20251101-v1:0"];
  const said: string[] = [];
  for (const args of [
    ["--model", nova!],
    ["--continue", "--model", claude!],
    ["--continue", "--model", nova!],
  ]) {
    const ended = await runKeelson(["-p", "look", ...args], { home, env });
    said.push(ended.stdout + ended.stderr);
  }
  expect([said, server.problems]).toEqual([["one\n", "two\n", "three\n"], []]);
  const states = server.requests.map(({ parts }) => parts.flatMap((part) => ("state" in part ? [part.state] : [])));
  expect(states).toEqual([[], ["state-1-0"], [], ["state-3-0"], ["state-1-0"]]);
});
