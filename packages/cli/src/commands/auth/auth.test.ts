// keelson auth with fake I/O: what it prints and stores, and that it shows no key.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../main.ts";
import { put, removed, scratch, withFakeIO } from "../command-io.test-support.ts";

const KEY = "sk-typed-secret-1";
let root: string;

beforeEach(() => {
  root = scratch("auth-command");
});
afterEach(() => removed(root));

async function keelson(argv: readonly string[], input = "", env: Record<string, string> = {}, isTerminal = false) {
  const seen = await withFakeIO(root, (io) => main(argv, io), {
    env,
    terminal: { stdin: isTerminal, stdout: false },
    async *stdin() {
      yield new TextEncoder().encode(input);
    },
  });
  expect(JSON.stringify(seen)).not.toContain(KEY);
  return seen;
}

const folder = () => join(root, "home/.claude/mcp-credentials");

test("a key is piped in or typed, stored privately, shown nowhere, and removed", async () => {
  expect(await keelson(["auth", "login", "openai"], KEY)).toEqual({
    code: 0,
    out: "Stored the key for openai\n",
    err: [],
  });
  const [file] = readdirSync(folder());
  expect([file, (statSync(join(folder(), file!)).mode & 0o777).toString(8)]).toEqual(["provider_openai.json", "600"]);
  expect(readFileSync(join(folder(), file!), "utf8")).toContain(KEY);
  expect((await keelson(["auth", "status"])).out).toBe("openai  stored key  https://api.openai.com/v1\n");
  expect(JSON.parse((await keelson(["auth", "status", "--json"])).out)).toEqual([
    {
      provider: "openai",
      credentials: "keychain",
      stored: true,
      address: "https://api.openai.com/v1",
      ready: true,
    },
  ]);

  const typed = await keelson(["auth", "login", "google"], `${KEY}\n`, {}, true);
  expect(typed.out).toBe("Key for gemini (not shown): \nStored the key for gemini\n");

  expect((await keelson(["auth", "logout", "openai"])).out).toBe("Removed the stored key for openai\n");
  expect((await keelson(["auth", "logout", "openai"])).out).toBe("No key is stored for openai\n");
  expect(readdirSync(folder())).toEqual(["provider_gemini.json"]);
});

test("status names the source of every provider's credentials", async () => {
  put(root, "home/.claude/settings.json", {
    apiKeyHelper: "print-key",
    providers: {
      local: { api: "openai-chat", baseUrl: "http://user:hidden@127.0.0.1:8000/v1" },
      team: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKeyHelper: "helper --for team" },
      own: { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "OWN_KEY" },
    },
  });
  const env = {
    GROQ_API_KEY: KEY,
    OWN_KEY: KEY,
    OLLAMA_HOST: "box",
    CLAUDE_CODE_USE_BEDROCK: "1",
    AWS_PROFILE: "dev",
  };
  const { code, out } = await keelson(["auth", "status"], "", env);
  expect([code, out.replaceAll(/ {2,}/g, "  ").split("\n")]).toEqual([
    0,
    [
      "anthropic  apiKeyHelper  https://api.anthropic.com",
      "ollama  no key  http://box:11434/v1",
      "groq  GROQ_API_KEY  https://api.groq.com/openai/v1",
      "bedrock  AWS_PROFILE",
      "local  no key  http://127.0.0.1:8000/v1",
      "team  apiKeyHelper of providers.team  http://127.0.0.1:9/v1",
      "own  OWN_KEY  http://127.0.0.1:9/v1",
      "",
    ],
  ]);
  const unset = await keelson(["auth", "status", "own"]);
  expect([unset.code, unset.out]).toEqual([0, "own  no key: OWN_KEY is not set  http://127.0.0.1:9/v1\n"]);
  const missing = await keelson(["auth", "status", "openai"]);
  expect([missing.code, missing.out]).toEqual([1, "openai  no key, and one is needed  https://api.openai.com/v1\n"]);
});

test("a variable takes precedence, and login says so", async () => {
  const { err } = await keelson(["auth", "login", "groq"], KEY, { GROQ_API_KEY: "other" });
  expect(err).toEqual(["warning: GROQ_API_KEY is set, and takes precedence over the stored key"]);
});

test("errors", async () => {
  const cases: [string[], string, string][] = [
    [
      ["login", "openai", "a-key"],
      "",
      "error: usage: keelson auth login [provider]; a key is typed or piped in, never an argument",
    ],
    [["login", "openai"], "  \n", "error: no key was given; type it, or pipe it in"],
    [["login", "openai"], "two words", "error: this is not a key: it has spaces or line breaks, or is too long"],
    [
      ["login", "vertex"],
      "k",
      "error: vertex does not use keys; to sign in, run: gcloud auth application-default login",
    ],
  ];
  for (const [argv, input, message] of cases)
    expect(await keelson(["auth", ...argv], input)).toEqual({ code: 1, out: "", err: [message] });
  expect((await keelson(["auth", "status", "opnai"])).err[0]).toBe(
    'error: unknown provider "opnai"; did you mean "openai"?',
  );
  expect(existsSync(folder())).toBe(false);
});
