import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { load, type Flags } from "@keelson/config";
import { readGlobalState } from "@keelson/config/global-state";
import { put, removed, scratch } from "../../commands/command-io.test-support.ts";
import { keepBypassAnswer, keepIncludesAnswer, keepKeyAnswer, keepSetup, keepTrust } from "./answers.ts";
import { externalIncludes } from "./external-includes.ts";
import { findLocalModels, findModels, isHere } from "./find-models.ts";
import { keepModel } from "./keep-model.ts";
import { openQuestions, waitingServers } from "./open-questions.ts";

let root: string;
beforeEach(() => {
  root = scratch("before");
});
afterEach(() => removed(root));

const KEY = "sk-test-0123456789-abcdefghijklmnop";
const project = () => join(root, "project");
const snapshot = (flags: Flags = {}, env: Record<string, string> = {}) =>
  load({ cwd: project(), home: join(root, "home"), env, flags, platform: "linux", uid: 1000, trustFromAbove: true });
const state = (value: object) => put(root, "home/.claude.json", value);
const open = (flags: Flags = {}, env: Record<string, string> = {}) => {
  const loaded = snapshot(flags, env);
  return openQuestions({ snapshot: loaded, state: readGlobalState(loaded), io: { env } });
};
const ANSWERED = () => ({
  hasCompletedOnboarding: true,
  theme: "dark",
  customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
  projects: { [project()]: { hasTrustDialogAccepted: true } },
});

test("with everything answered, nothing is asked", () => {
  state(ANSWERED());
  expect(open({}, { ANTHROPIC_API_KEY: KEY })).toEqual([]);
});

test("a new user in a new folder is asked everything that matters, in order", () => {
  put(root, "project/.mcp.json", { mcpServers: { one: { command: "one" } } });
  put(root, "project/CLAUDE.md", "See @~/notes.md\n");
  const env = { ANTHROPIC_API_KEY: KEY };
  const bypass: Flags = { permissionMode: "bypassPermissions", allowSkipPermissions: true };
  expect(open(bypass, env)).toEqual(["setup", "trust", "key", "bypass"]);
  state({ projects: { [project()]: { hasTrustDialogAccepted: true } } });
  expect(open(bypass, env)).toEqual(["setup", "key", "servers", "includes", "bypass"]);
});

test("each answer is kept, so that the question does not come again", async () => {
  put(root, "project/CLAUDE.md", "See @~/notes.md\n");
  put(root, "home/notes.md", "Hello\n");
  const env = { ANTHROPIC_API_KEY: KEY };
  const bypass: Flags = { permissionMode: "bypassPermissions", allowSkipPermissions: true };
  const keep = [
    () => keepSetup(snapshot(), "light"),
    () => keepTrust(snapshot()),
    () => keepKeyAnswer(snapshot(), KEY, true),
    () => keepIncludesAnswer(snapshot(), [join(root, "home/notes.md")], true),
    () => keepBypassAnswer(snapshot()),
  ];
  const left: (readonly string[])[] = [];
  for (const each of keep) {
    expect(await each()).toBeUndefined();
    left.push(open(bypass, env));
  }
  expect(left).toEqual([
    ["trust", "key", "bypass"],
    ["key", "includes", "bypass"],
    ["includes", "bypass"],
    ["includes", "bypass"],
    ["includes"],
  ]);
  // Its turn comes each time; then there is nothing to ask.
  expect(await externalIncludes(snapshot())).toEqual([]);
  expect(readGlobalState(snapshot())).toEqual({
    hasCompletedOnboarding: true,
    theme: "light",
    projects: {
      [project()]: {
        hasTrustDialogAccepted: true,
        hasClaudeMdExternalIncludesApproved: true,
        hasClaudeMdExternalIncludesWarningShown: true,
        keelsonExternalIncludes: { approved: [join(root, "home/notes.md")], refused: [] },
      },
    },
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    bypassPermissionsModeAccepted: true,
  });
  expect(await keepKeyAnswer(snapshot(), KEY, false)).toBeUndefined();
  expect(readGlobalState(snapshot())["customApiKeyResponses"]).toEqual({ approved: [], rejected: [KEY.slice(-20)] });
});

test("only files outside the project are asked about", async () => {
  state(ANSWERED());
  put(root, "project/CLAUDE.md", "See @inside.md and @~/notes.md, write to me@example.com\n");
  put(root, "project/inside.md", "Inside\n");
  const notes = put(root, "home/notes.md", "Outside\n");
  expect(await externalIncludes(snapshot())).toEqual([notes]);
  // Also what those include; and each file once, whatever the answer was.
  const more = put(root, "home/more.md", "More\n");
  put(root, "home/notes.md", "See @more.md\n");
  expect(await externalIncludes(snapshot())).toEqual([notes, more]);
  expect(await keepIncludesAnswer(snapshot(), [notes], true)).toBeUndefined();
  expect(await externalIncludes(snapshot())).toEqual([more]);
  expect(await keepIncludesAnswer(snapshot(), [more], false)).toBeUndefined();
  expect(await externalIncludes(snapshot())).toEqual([]);
  const last = put(root, "home/last.md", "Last\n");
  put(root, "project/CLAUDE.md", "See @~/notes.md and @~/last.md\n");
  expect(await externalIncludes(snapshot())).toEqual([last]);
});

test("a server is asked about until it is decided, and again when it changed", () => {
  const server = (command: string) => put(root, "project/.mcp.json", { mcpServers: { one: { command } } });
  server("one");
  state(ANSWERED());
  expect(waitingServers(snapshot().mcp).map(({ name }) => name)).toEqual(["one"]);
  put(root, "project/.claude/settings.local.json", { disabledMcpjsonServers: ["one"] });
  expect(waitingServers(snapshot().mcp)).toEqual([]);
  put(root, "project/.claude/settings.local.json", { enabledMcpjsonServers: ["one"] });
  expect(waitingServers(snapshot().mcp)).toEqual([]);
});

test("the first start finds keys and servers on this machine, and the choice becomes the model", async () => {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ data: [{ id: "qwen3:8b" }, { id: "\u001b[31m" }, { name: "no id" }] }),
  });
  const servers = [
    { title: "Mine", provider: "mine", port: server.port! },
    { title: "Nobody", provider: "nobody", port: 1 },
  ];
  const found = await findModels(snapshot({}, { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: "sk-o" }), servers);
  const openai = found.find(({ detail }) => detail === "OPENAI_API_KEY");
  expect(found[0]).toEqual({ title: "Anthropic", detail: "ANTHROPIC_API_KEY", approvesKey: true });
  expect(openai?.model).toStartWith("openai/");
  const block = { api: "openai-chat", baseUrl: `http://127.0.0.1:${server.port}/v1` };
  const mine = {
    title: "mine/qwen3:8b",
    detail: "Mine on this machine",
    model: "mine/qwen3:8b",
    provider: { name: "mine", block },
  };
  expect(found.slice(2)).toEqual([mine]);
  expect(await keepModel(mine, snapshot())).toBeUndefined();
  const { model, providers } = snapshot().settings;
  expect([model, providers as unknown]).toEqual(["mine/qwen3:8b", { mine: block }]);
});

test("a provider that is in the settings already is asked where they say, and its block stays as it is", async () => {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ data: [{ id: "qwen3:8b" }] }),
  });
  using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ data: [{ id: "mine" }] }) });
  const servers = [{ title: "vLLM", provider: "vllm", port: server.port! }];
  const [found] = await findLocalModels(snapshot(), servers);
  const block = { api: "openai-responses", baseUrl: `http://127.0.0.1:${other.port}/v1`, apiKeyEnv: "VLLM_KEY" };
  const providers = { vllm: block };
  put(root, "home/.claude/settings.json", { providers });
  const own = await findLocalModels(snapshot(), servers);
  expect(own).toEqual([{ title: "vllm/mine", detail: "vLLM on this machine", model: "vllm/mine" }]);
  expect(await keepModel(own[0]!, snapshot())).toBeUndefined();
  expect(snapshot().settings.providers).toEqual(providers as never);
  // It was found before the block was written.
  expect(found!.provider?.name).toBe("vllm");
  expect(await keepModel(found!, snapshot())).toContain('"providers.vllm" is set to another server');
  expect(snapshot().settings).toMatchObject({ model: "vllm/mine", providers });
  // Without an address, there is nobody to ask.
  put(root, "home/.claude/settings.json", { providers: { vllm: { api: "openai-chat" } } });
  expect(await findLocalModels(snapshot(), servers)).toEqual([]);
});

test("only addresses of this machine are said to be on it", () => {
  const here = ["http://127.0.0.1:1/v1", "http://127.1", "http://localhost:8080", "http://[::1]:1/v1"];
  expect(here.map(isHere)).toEqual(here.map(() => true));
  const elsewhere = ["http://127.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com", "?"];
  expect(elsewhere.map(isHere)).toEqual(elsewhere.map(() => false));
});
