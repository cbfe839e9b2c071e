// Setting up without leaving the terminal: keys that are right and wrong, no network, several keys, a server on this
// machine. The providers are stand-ins that refuse what their vendors refuse.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startChatServer, temporaryHome, type DialectServer, type TemporaryHome } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import { writeState } from "./at-terminal.ts";

const KEY = "sk-right-0123456789";
const PROMPT = /^❯\s*$/m;

/** Knows one key. */
function startProvider(...texts: readonly string[]): Promise<DialectServer> {
  return startProviderWith(() => KEY, texts);
}

function startProviderWith(key: () => string, texts: readonly string[]): Promise<DialectServer> {
  return startChatServer(
    texts.map((text) => ({ blocks: [{ text }] })),
    {
      other({ path, headers }) {
        if (!path.endsWith("/models")) return undefined;
        if (headers["authorization"] !== `Bearer ${key()}`)
          return { status: 401, body: { error: { message: "Incorrect API key provided", code: "invalid_api_key" } } };
        return { status: 200, body: { data: [{ id: "gpt-9" }, { id: "gpt-9-mini" }] } };
      },
    },
  );
}

const stored = (home: TemporaryHome) => readdirSync(join(home.configDir, "mcp-credentials"));
const settingsOf = (home: TemporaryHome) => JSON.parse(home.read("~/.claude/settings.json"));
const asked = ({ others }: DialectServer) => others.filter(({ path }) => path.endsWith("/models")).length;

/** Leads to the field for a key. */
async function chooseProvider(terminal: TestTerminal, name: string): Promise<void> {
  await terminal.until("Which provider do you want to use?");
  terminal.type(name);
  await terminal.until(new RegExp(`⌕ ${name}`));
  terminal.press("enter");
}

async function goOn(terminal: TestTerminal): Promise<void> {
  await terminal.until("Do you trust this folder?");
  terminal.press("down", "enter");
  await terminal.until(PROMPT);
}

async function answers(terminal: TestTerminal, text: string): Promise<void> {
  terminal.type("hello");
  terminal.press("enter");
  await terminal.until(text);
}

for (const [columns, rows] of [
  [120, 40],
  [80, 24],
  [50, 30],
  [80, 10],
] as const)
  test(`the first start takes a key, after a wrong one, and the model answers at once (${columns}×${rows})`, async () => {
    using home = temporaryHome();
    await using provider = await startProvider("From the new provider.");
    await using terminal = startTerminal({ home, columns, rows, env: { OPENAI_BASE_URL: `${provider.url}/v1` } });
    await terminal.until("Welcome to Keelson");
    terminal.press("enter");
    await terminal.until("paste a key");
    terminal.press("enter");
    await chooseProvider(terminal, "openai");
    await terminal.until("Key:");
    terminal.paste("sk-wrong-key");
    await terminal.until("••••");
    expect(terminal.screen().join("\n")).not.toContain("sk-wrong");
    terminal.press("enter");
    await terminal.until("Incorrect API key");
    terminal.paste(`${KEY}\n`);
    await terminal.until("••••");
    terminal.press("enter");
    await terminal.until("gpt-9-mini");
    expect([asked(provider), stored(home)]).toEqual([2, ["provider_openai.json"]]);
    terminal.press("enter");
    await goOn(terminal);
    await answers(terminal, "From the new provider.");
    expect(settingsOf(home)).toEqual({ model: "openai/gpt-9" });
    expect(provider.requests[0]!.headers["authorization"]).toBe(`Bearer ${KEY}`);
    expect(terminal.bytes).not.toContain(KEY);
  });

test("/login in a session that began offline goes on with the provider, without a restart", async () => {
  using home = temporaryHome();
  writeState(home);
  await using provider = await startProvider("Now online.");
  await using terminal = startTerminal({
    home,
    env: { OPENAI_BASE_URL: `${provider.url}/v1` },
    args: ["--model", "offline"],
  });
  await terminal.until(PROMPT);
  terminal.type("/login openai\r");
  await terminal.until("Key:");
  terminal.paste(KEY);
  await terminal.until("••••");
  terminal.press("enter");
  await terminal.until("Which model do you want to use?");
  terminal.press("down", "enter");
  await terminal.until("✻ Stored the key for OpenAI");
  await answers(terminal, "Now online.");
  expect(provider.requests[0]!.model).toBe("gpt-9-mini");
});

test("a stored key that the provider takes no more is replaced with /login", async () => {
  using home = temporaryHome();
  writeState(home);
  let valid = KEY;
  await using provider = await startProviderWith(() => valid, ["With the new key.", "With the newest key."]);
  /** Before that, a prompt still goes to the model of before. */
  const isSet = (model: string, after = "") =>
    terminal.until(() => new RegExp(`${after}[^]*Set model to ${model}$`, "m").test(terminal.screen().join("\n")));
  const env = { OPENAI_BASE_URL: `${provider.url}/v1` };
  await using terminal = startTerminal({ home, env, args: ["--model", "offline"] });
  await terminal.until(PROMPT);
  terminal.type("/login openai\r");
  await terminal.until("Key:");
  terminal.paste(KEY);
  await terminal.until("••••");
  terminal.press("enter");
  await terminal.until("Which model do you want to use?");
  terminal.press("enter");
  await terminal.until("✻ Stored the key for OpenAI");
  // Chosen from the list, the stored key is asked about first.
  valid = "sk-new-0123456789";
  terminal.type("/login\r");
  await chooseProvider(terminal, "openai");
  await terminal.until("Incorrect API key provided (the key is from /login)");
  await terminal.until("Key:");
  terminal.paste(valid);
  await terminal.until("••••");
  terminal.press("enter");
  await terminal.until("Which model do you want to use?");
  terminal.press("down", "enter");
  await isSet("openai/gpt-9-mini");
  await answers(terminal, "With the new key.");
  // Named, its key comes next.
  valid = "sk-newest-0123456789";
  terminal.type("/login openai\r");
  await terminal.until("replaces the one that is stored");
  terminal.paste(valid);
  await terminal.until("••••");
  terminal.press("enter");
  await terminal.until("Which model do you want to use?");
  terminal.press("enter");
  await isSet("openai/gpt-9", "With the new key");
  await answers(terminal, "With the newest key.");
  expect(provider.requests.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer sk-new-0123456789",
    `Bearer ${valid}`,
  ]);
});

test("without a network, /login says what could not be reached, and keeps the key if it is told to", async () => {
  using home = temporaryHome();
  writeState(home);
  const closed = await startProvider();
  const url = `${closed.url}/v1`;
  await closed.close();
  await using terminal = startTerminal({ home, env: { OPENAI_BASE_URL: url }, args: ["--model", "offline"] });
  await terminal.until(PROMPT);
  terminal.type("/login openai\r");
  await terminal.until("Key:");
  terminal.paste(KEY);
  await terminal.until("••••");
  terminal.press("enter");
  await terminal.until(`Nothing is listening at ${url.slice(0, -3)}`);
  await terminal.until("OPENAI_BASE_URL");
  expect(() => stored(home)).toThrow();
  terminal.press("down", "enter");
  await terminal.until("choose one with /model openai/ID");
  expect(stored(home)).toEqual(["provider_openai.json"]);
  terminal.press("escape", "escape");
  await terminal.until("Kept the model");
});

test("several keys: each is offered with its source, and a variable that is refused is named", async () => {
  using home = temporaryHome();
  writeState(home);
  await using provider = await startProvider();
  const env = { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: "sk-old", GROQ_API_KEY: "gsk" };
  await using terminal = startTerminal({ home, env, args: ["--model", "offline"] });
  await terminal.until(PROMPT);
  terminal.type("/login\r");
  await terminal.until("Which provider do you want to use?");
  await terminal.until("OPENAI_API_KEY");
  await terminal.until("GROQ_API_KEY");
  terminal.type("openai");
  await terminal.until("⌕ openai");
  terminal.press("enter");
  await terminal.until(`${provider.url}/v1: Incorrect API key provided (the key is from OPENAI_API_KEY)`);
  terminal.press("escape", "escape");
  await terminal.until("Kept the model");
});

test("a server on this machine is offered with its models, and /model lists them, too", async () => {
  using home = temporaryHome();
  await using local = await startChatServer([{ blocks: [{ text: "From this machine." }] }], {
    other: ({ path }) =>
      path.endsWith("/models") ? { status: 200, body: { data: [{ id: "qwen3-coder" }] } } : undefined,
  });
  await using terminal = startTerminal({ home, env: { LMSTUDIO_BASE_URL: `${local.url}/v1` } });
  await terminal.until("Welcome to Keelson");
  terminal.press("enter");
  await terminal.until("lmstudio/qwen3-coder");
  terminal.press("enter");
  await goOn(terminal);
  await answers(terminal, "From this machine.");
  expect(settingsOf(home)).toEqual({ model: "lmstudio/qwen3-coder" });
  terminal.type("/model\r");
  await terminal.until("lmstudio/qwen3-coder (current)");
  // What the others need is beside them.
  terminal.type("deepseek");
  await terminal.until("DEEPSEEK_API_KEY is not set");
  terminal.press("down");
  await terminal.until('❯ Use "deepseek"');
  terminal.press("up");
  await terminal.until("❯ deepseek");
  terminal.press("enter");
  await terminal.until("The key for DeepSeek");
  terminal.press("escape", "escape");
});
