// What the model is sent: system prompt, parameters, headers, cache marks; and that the same work is sent the same way.

import { expect, test } from "bun:test";
import { normaliser, runKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { CHAT, control, prompt, STREAM } from "../front-door.ts";
import { FABLE, HAIKU, OPUS } from "../../models.ts";

const MARK = { type: "ephemeral" };

/** The one request of a run with these flags. */
async function sent(
  flags: readonly string[] = [],
  options: { env?: Record<string, string | undefined>; home?: TemporaryHome } = {},
) {
  using own = options.home ? undefined : temporaryHome();
  const home = options.home ?? own!;
  await using model = await startMockModel([{ text: "ok" }]);
  const { code, stderr } = await runKeelson(["-p", "go", ...flags], { home, url: model.url, env: options.env ?? {} });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return model.requests[0]!;
}

const systemOf = async (...flags: string[]) => (await sent(flags)).body.system.map(({ text }: any) => text);

test("a request has the shape, and the headers, that the API and its gateways know", async () => {
  using home = temporaryHome();
  const { method, path, headers, body } = await sent(["--model", "claude-sonnet-4-6"], { home });

  expect([method, path]).toEqual(["POST", "/v1/messages?beta=true"]);
  expect(headers).toMatchObject({
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
    "x-api-key": "test-key",
    "x-app": "cli",
    "x-claude-code-session-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    // Our own name: we do not pass for another product.
    "user-agent": expect.stringMatching(/^keelson\/\d+\.\d+\.\d+ \(external, sdk-cli\)$/),
  });
  expect(headers).not.toHaveProperty("authorization");
  expect(Object.keys(body).toSorted()).toEqual([
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "stream",
    "system",
    "thinking",
    "tools",
  ]);
  expect(body).toMatchObject({
    model: "claude-sonnet-4-6",
    max_tokens: 32_000,
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
    stream: true,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: expect.stringContaining("The following skills are available") },
          { type: "text", text: expect.stringContaining("The Agent tool can start these agents") },
          { type: "text", text: expect.stringContaining(`Today's date is ${new Date().toISOString().slice(0, 10)}.`) },
          { type: "text", text: "go", cache_control: MARK },
        ],
      },
    ],
  });
  expect(JSON.parse(body.metadata.user_id)).toMatchObject({ session_id: headers["x-claude-code-session-id"] });
  const names = body.tools.map(({ name }: any) => name);
  expect(names).toEqual(names.toSorted());
  for (const tool of body.tools) {
    expect(Object.keys(tool)).toEqual(["name", "description", "input_schema"]);
    expect(tool.input_schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.description.length).toBeGreaterThan(20);
  }
});

test("the system prompt says where it is, and two blocks carry a cache mark each", async () => {
  using home = temporaryHome({ git: true });
  const { body } = await sent([], { home });
  expect(body.system).toHaveLength(2);
  expect(body.system.map(({ cache_control }: any) => cache_control)).toEqual([MARK, MARK]);
  expect(body.system[1].text).toContain(home.project);
  // The date stands beside the prompt: the system prompt of tomorrow is the same, and so is its place in the cache.
  expect(body.system[1].text).not.toContain(new Date().toISOString().slice(0, 10));
  expect(body.system[1].text).toContain("main");
});

test("--system-prompt takes the place of our own; --append-system-prompt adds to either", async () => {
  const [identity, own] = await systemOf();
  const [, replaced] = await systemOf("--system-prompt", "You are a parrot.");
  expect(replaced).toBe("You are a parrot.");
  const [first, appended] = await systemOf("--append-system-prompt", "Always rhyme.");
  expect(first).toBe(identity);
  expect(appended).toEndWith("\n\nAlways rhyme.");
  expect(appended).toContain(own.split("\n")[1]);
  const [, both] = await systemOf("--system-prompt", "You are a parrot.", "--append-system-prompt", "Always rhyme.");
  expect(both).toBe("You are a parrot.\n\nAlways rhyme.");
});

test("an empty --system-prompt leaves only who we are", async () => {
  expect(await systemOf("--system-prompt", "")).toHaveLength(1);
});

test("both have a form that reads a file, and not both at once", async () => {
  using home = temporaryHome();
  home.write("parrot.md", "You are a parrot.");
  home.write("rhyme.md", "Always rhyme.");
  const { body } = await sent(["--system-prompt-file", "parrot.md", "--append-system-prompt-file", "rhyme.md"], {
    home,
  });
  expect(body.system[1].text).toBe("You are a parrot.\n\nAlways rhyme.");

  const both = await runKeelson(["-p", "go", "--system-prompt", "x", "--system-prompt-file", "parrot.md"], { home });
  expect(both.stderr.trim()).toBe("error: --system-prompt and --system-prompt-file cannot be used together");
  const missing = await runKeelson(["-p", "go", "--system-prompt-file", "gone.md"], { home });
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining(`file not found: ${home.project}/gone.md`),
  ]);
});

test("--bare keeps to where it is", async () => {
  using home = temporaryHome();
  const full = (await sent([], { home })).body.system[1].text;
  const bare = (await sent(["--bare"], { home })).body.system[1].text;
  expect(bare).toContain(home.project);
  expect(full).toEndWith(bare);
  expect(bare.length).toBeLessThan(full.length / 2);
});

test.each([
  ["haiku", HAIKU, 128_000, { type: "adaptive" }, "medium"],
  ["fable[1m]", FABLE, 128_000, { type: "adaptive" }, "medium"],
  ["best", OPUS, 128_000, { type: "adaptive" }, "medium"],
  ["claude-haiku-4-5", "claude-haiku-4-5", 32_000, { type: "enabled", budget_tokens: 31_999 }, undefined],
  ["claude-sonnet-4-5", "claude-sonnet-4-5", 32_000, { type: "enabled", budget_tokens: 31_999 }, undefined],
  ["claude-sonnet-4-6", "claude-sonnet-4-6", 32_000, { type: "adaptive" }, "high"],
  ["claude-opus-4-8[1m]", "claude-opus-4-8", 64_000, { type: "adaptive" }, "high"],
  ["nobody-knows-me", "nobody-knows-me", 32_000, { type: "adaptive" }, "high"],
])("--model %s is asked as it wants to be asked", async (name, model, max_tokens, thinking, effort) => {
  const { body, headers } = await sent(["--model", name]);
  const { model: id, max_tokens: most, thinking: thought, output_config } = body;
  expect({ id, most, thought, effort: output_config?.effort }).toEqual({
    id: model,
    most: max_tokens,
    thought: thinking,
    effort,
  });
  const betas = (headers["anthropic-beta"] ?? "").split(",");
  expect(betas.includes("effort-2025-11-24")).toBe(effort !== undefined);
  expect(betas.includes("context-1m-2025-08-07")).toBe(name === "claude-opus-4-8[1m]");
});

test("the model comes from the flag, then the environment, then the settings", async () => {
  using home = temporaryHome();
  home.settings({ model: "claude-opus-4-6" });
  const model = async (flags: string[], env: Record<string, string> = {}) =>
    (await sent(flags, { env, home })).body.model;
  expect(await model([])).toBe("claude-opus-4-6");
  expect(await model([], { ANTHROPIC_MODEL: "claude-sonnet-4-6" })).toBe("claude-sonnet-4-6");
  expect(await model(["--model", "haiku"], { ANTHROPIC_MODEL: "claude-sonnet-4-6" })).toBe(HAIKU);
  expect(await model(["--model", "haiku"], { ANTHROPIC_DEFAULT_HAIKU_MODEL: "my-haiku" })).toBe("my-haiku");
});

test("--effort and the thinking budget", async () => {
  const ask = async (flags: string[], env: Record<string, string> = {}) => {
    const { body } = await sent(flags, { env });
    return [body.thinking, body.output_config?.effort];
  };
  expect(await ask(["--model", "claude-opus-4-6", "--effort", "low"])).toEqual([{ type: "adaptive" }, "low"]);
  // Where the model takes no effort, none is sent.
  expect((await ask(["--model", "claude-haiku-4-5", "--effort", "low"]))[1]).toBeUndefined();
  expect(await ask(["--model", "claude-haiku-4-5"], { MAX_THINKING_TOKENS: "5000" })).toEqual([
    { type: "enabled", budget_tokens: 5000 },
    undefined,
  ]);
  const off = { MAX_THINKING_TOKENS: "0" };
  expect(await ask(["--model", "claude-haiku-4-5"], off)).toEqual([{ type: "disabled" }, undefined]);
  // These reject that.
  for (const alias of ["haiku", "sonnet", "opus", "fable"])
    expect(await ask(["--model", alias], off)).toEqual([{ type: "adaptive" }, "medium"]);
  expect(
    await ask(["--model", "claude-haiku-4-5", "--max-thinking-tokens", "2000"], { MAX_THINKING_TOKENS: "5000" }),
  ).toEqual([{ type: "enabled", budget_tokens: 2000 }, undefined]);
  expect((await ask(["--model", "claude-opus-4-6", "--thinking", "disabled"]))[0]).toEqual({ type: "disabled" });
});

test("three cache marks, the last one moving on with the conversation", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "one" },
    { text: "two" },
  ]);
  await runKeelson(CHAT, { home, url: model.url, stdin: [prompt("first"), prompt("second")] });

  for (const { body } of model.requests) {
    expect(marksIn(body)).toBe(3);
    expect(body.tools.some((tool: object) => "cache_control" in tool)).toBe(false);
    expect(body.messages.at(-1).content.at(-1).cache_control).toEqual(MARK);
  }
});

test("the cache may be kept for an hour", async () => {
  const hour = await sent([], { env: { ENABLE_PROMPT_CACHING_1H: "1" } });
  expect(hour.body.messages[0].content.at(-1).cache_control).toEqual({ type: "ephemeral", ttl: "1h" });
  expect(marksIn(hour.body)).toBe(3);
  expect(hour.headers["anthropic-beta"]).toContain("extended-cache-ttl-2025-04-11");
});

test("a conversation without the cache is sent in full each time", async () => {
  using home = temporaryHome();
  home.write("a.txt", "one");
  await using model = await startMockModel([
    { calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
    { text: "one" },
    { text: "two" },
  ]);
  const apart = control("init", { subtype: "initialize", joinQueuedPrompts: false });
  const stdin = [apart, prompt("first"), prompt("second")];
  await runKeelson(CHAT, { home, url: model.url, stdin, env: { DISABLE_PROMPT_CACHING: "1" } });

  const roles = model.requests.map(({ body }) => body.messages.map(({ role }: any) => role));
  expect(roles).toEqual([["user"], ["user", "assistant", "user"], ["user", "assistant", "user", "assistant", "user"]]);
  expect(model.requests.map(({ body }) => marksIn(body))).toEqual([0, 0, 0]);
});

test("betas: what the request needs, and what was asked for, once each", async () => {
  const { headers } = await sent(["--model", "claude-opus-4-6", "--betas", "my-beta,effort-2025-11-24"], {
    env: { ANTHROPIC_BETAS: "other-beta" },
  });
  expect(headers["anthropic-beta"]!.split(",").toSorted()).toEqual([
    "effort-2025-11-24",
    "interleaved-thinking-2025-05-14",
    "my-beta",
    "other-beta",
  ]);
});

test("headers of your own, and a token instead of a key", async () => {
  const custom = await sent([], { env: { ANTHROPIC_CUSTOM_HEADERS: "X-Team: Blue\nX-Trace: a:b" } });
  expect(custom.headers).toMatchObject({ "x-team": "Blue", "x-trace": "a:b", "x-api-key": "test-key" });

  const token = await sent([], { env: { ANTHROPIC_AUTH_TOKEN: "t0ken", ANTHROPIC_API_KEY: undefined } });
  expect(token.headers.authorization).toBe("Bearer t0ken");
  expect(token.headers).not.toHaveProperty("x-api-key");
});

test("who started us is in the user agent", async () => {
  const { headers } = await sent([], { env: { CLAUDE_CODE_ENTRYPOINT: "sdk-py" } });
  expect(headers["user-agent"]).toEndWith("(external, sdk-py)");
});

test("nothing of the environment or the machine is sent that no one asked for", async () => {
  const values = {
    BUN_CONFIG_TOKEN: "bun-secret-value",
    AWS_SECRET_ACCESS_KEY: "aws-secret-value",
    GITHUB_TOKEN: "github-secret-value",
    HOSTNAME: "my-very-own-host",
    LOGNAME: "my-very-own-name",
  };
  using home = temporaryHome();
  home.write(".env", "FROM_DOTENV=dotenv-secret-value\nANTHROPIC_MODEL=from-dotenv\n");
  const { headers, body } = await sent([], { home, env: values });
  const everything = JSON.stringify([headers, body]);
  for (const value of [...Object.values(values), "dotenv-secret-value", "from-dotenv", "BUN_"]) {
    expect(everything).not.toContain(value);
  }
});

test("no other request is made than those for replies", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "ok" }]);
  await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(model.others).toEqual([]);
});

test("the same work in another home sends the same bytes", async () => {
  const play = async () => {
    using home = temporaryHome({ git: true });
    home.write("a.txt", "one\n");
    home.write("src/b.ts", "export const two = 2;\n");
    await using model = await startMockModel([
      {
        thinking: "Look first.",
        calls: [
          { name: "Read", input: { file_path: "a.txt" } },
          { name: "Grep", input: { pattern: "two", output_mode: "content" } },
        ],
      },
      { calls: [{ name: "Write", input: { file_path: "c.txt", content: "three" } }] },
      { calls: [{ name: "Bash", input: { command: "ls -1" } }] },
      { text: "done" },
      { text: "again" },
    ]);
    const run = (...args: string[]) => runKeelson(["-p", ...args], { home, url: model.url });
    await run("go", "--permission-mode", "acceptEdits");
    await run("once more", "-c", "--permission-mode", "acceptEdits");
    const normal = normaliser({ home });
    return model.requests.map(({ body, headers }) => JSON.stringify(normal([headers, body])));
  };
  const [first, second] = [await play(), await play()];
  expect(first).toHaveLength(5);
  expect(second).toEqual(first);
});

function marksIn(body: object): number {
  return JSON.stringify(body).match(/"cache_control":/g)?.length ?? 0;
}
