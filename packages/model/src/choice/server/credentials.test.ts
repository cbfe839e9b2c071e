import { expect, test } from "bun:test";
import { findKey, keyCredentials, type CommandEnd, type CredentialSources, type KeyFacts } from "./credentials.ts";

const never = new AbortController().signal;

/** Commands that print a new key each time, and one stored key. */
function sources(ends: CommandEnd[] = []): CredentialSources & { readonly ran: string[] } {
  const ran: string[] = [];
  return {
    ran,
    async runCommand(command) {
      ran.push(command);
      return ends.shift() ?? { code: 0, stdout: `key-${ran.length}\n` };
    },
    storedKey: async (provider) => (provider === "groq" ? "stored-key" : undefined),
    hasStoredKey: (provider) => provider === "groq",
  };
}

async function found(provider: string, facts: Partial<KeyFacts>) {
  const key = await findKey(provider, { env: {}, ...facts });
  return key && [key.from, await key.key(never)];
}

test("the key comes from a variable, a command of the settings, or the keychain, in this order", async () => {
  const all = { sources: sources(), providers: { groq: { apiKeyHelper: "print-key" } } };
  expect(await found("groq", { sources: sources(), env: { GROQ_API_KEY: " var " } })).toEqual(["GROQ_API_KEY", "var"]);
  expect(await found("groq", { sources: sources() })).toEqual(["/login managed key", "stored-key"]);
  expect(await found("groq", all)).toEqual(["apiKeyHelper", "key-1"]);
  // What the block says is more specific than a variable that every program reads.
  expect(await found("groq", { ...all, env: { GROQ_API_KEY: "var" } })).toEqual(["apiKeyHelper", "key-2"]);
  const named = { groq: { apiKeyHelper: "print-key", apiKeyEnv: "MINE" } };
  expect(await found("groq", { ...all, providers: named, env: { MINE: "own", GROQ_API_KEY: "var" } })).toEqual([
    "MINE",
    "own",
  ]);
  expect(await found("gemini", { env: { GOOGLE_API_KEY: "b", GEMINI_API_KEY: "a" } })).toEqual(["GEMINI_API_KEY", "a"]);
  expect(await found("local", { env: { LOCAL_API_KEY: "x" } })).toBeUndefined();
});

test("the setting apiKeyHelper is for Anthropic only", async () => {
  expect(await found("anthropic", { sources: sources(), apiKeyHelper: "h" })).toEqual(["apiKeyHelper", "key-1"]);
  expect(await found("openai", { sources: sources(), apiKeyHelper: "h" })).toBeUndefined();
});

test("a key of a command is kept for five minutes, or as long as the variable says, and renewed when it is refused", async () => {
  let now = 0;
  const outside = sources();
  const memory = { keys: new Map(), told: new Set<string>(), windows: new Map() };
  const facts = { sources: outside, apiKeyHelper: "h", memory, now: () => now, env: {} };
  const key = (await findKey("anthropic", facts))!;
  expect([await key.key(never), await key.key(never)]).toEqual(["key-1", "key-1"]);
  now = 299_999;
  // Another model of the session uses the same key.
  const other = (await findKey("anthropic", facts))!;
  expect(await other.key(never)).toBe("key-1");
  now = 300_000;
  expect(await key.key(never)).toBe("key-2");
  expect(await key.renew!(never)).toBe(true);
  expect(await key.key(never)).toBe("key-3");
  // The other one still has a key that was refused; a new one is there already.
  expect([await other.renew!(never), await other.key(never), outside.ran.length]).toEqual([true, "key-3", 3]);

  const brief = (await findKey("anthropic", {
    ...facts,
    memory: { ...memory, keys: new Map() },
    env: { CLAUDE_CODE_API_KEY_HELPER_TTL_MS: "10" },
  }))!;
  expect(await brief.key(never)).toBe("key-4");
  now += 10;
  expect(await brief.key(never)).toBe("key-5");
});

test("many requests at once run the command once", async () => {
  const outside = sources();
  const key = (await findKey("anthropic", { env: {}, sources: outside, apiKeyHelper: "h" }))!;
  expect(await Promise.all([key.key(never), key.key(never), key.key(never)])).toEqual(["key-1", "key-1", "key-1"]);
  expect(outside.ran).toEqual(["h"]);
});

test("a command that fails is an error without its output, and is run again for the next request", async () => {
  const outside = sources([
    { code: 3, stdout: "half-a-secret" },
    { code: 0, stdout: "  " },
    { code: null, stdout: "" },
  ]);
  const key = (await findKey("anthropic", { env: {}, sources: outside, apiKeyHelper: "h" }))!;
  for (const why of ["failed with exit code 3", "printed nothing", "was ended"])
    await expect(key.key(never)).rejects.toThrow(`The command of apiKeyHelper ${why}; run it in a terminal to see why`);
  expect(await key.key(never)).toBe("key-4");
});

test("a key that a header cannot have is not quoted", async () => {
  const key = await findKey("groq", { env: { GROQ_API_KEY: "gsk-secret\u0000x" } });
  const credentials = keyCredentials("groq", "bearer", key);
  const attempt = { method: "GET", url: new URL("http://127.0.0.1"), headers: new Headers(), body: undefined };
  const error = await Promise.resolve(credentials.authorize(attempt)).catch((thrown: Error) => thrown.message);
  expect(error).toBe(
    'The key of "groq" (GROQ_API_KEY) has characters that a header cannot have; check for line breaks',
  );
});
