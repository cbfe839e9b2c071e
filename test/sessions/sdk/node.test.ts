// The SDK as other runtimes see it: bundled, without anything of Bun's, on Node.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTranscript, startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { door } from "./door.ts";

const node = Bun.which("node");
const folder = mkdtempSync(join(tmpdir(), "keelson-sdk-node-"));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const entry = fileURLToPath(new URL("../../../packages/sdk/src/index.ts", import.meta.url));
  const built = await Bun.build({ entrypoints: [entry], outdir: folder, target: "node", splitting: true });
  if (!built.success) throw new AggregateError(built.logs, "The SDK could not be bundled");
});

/** Runs a program on Node; what it printed, line by line as JSON. */
async function onNode(code: string, given: object, { runtime = node!, env = {} } = {}): Promise<any[]> {
  const script = join(folder, `${crypto.randomUUID()}.mjs`);
  const sdk = JSON.stringify(join(folder, "index.js"));
  writeFileSync(script, `import * as sdk from ${sdk};\nconst given = ${JSON.stringify(given)};\n${code}`);
  const child = Bun.spawn([runtime, script], { env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exit] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (exit !== 0) throw new Error(`node ended with ${exit}: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("there is a Node of version 20 or newer to try it on", () => {
  const version = Bun.spawnSync([node!, "--version"]).stdout.toString();
  expect(Number(/^v(\d+)/.exec(version)![1])).toBeGreaterThanOrEqual(20);
});

test("a query with a permission callback and a hook runs on Node", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "touch a" } }] },
    { text: "done" },
  ]);
  const lines = await onNode(
    `
    const say = (value) => console.log(JSON.stringify(value));
    const running = sdk.query({
      prompt: "make a file",
      options: {
        ...given,
        canUseTool: async (name, input) => (say([name, input.command]), { behavior: "allow" }),
        hooks: { Stop: [{ hooks: [async (input) => (say(input.hook_event_name), {})] }] },
      },
    });
    for await (const message of running) if (message.type === "result") say(message.result);
    `,
    door(home, model),
  );
  expect(lines).toEqual([["Bash", "touch a"], "Stop", "done"]);
});

test("errors, aborts and early ends are the same on Node, and let it end", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ hang: true }, { hang: true }]);
  const lines = await onNode(
    `
    const say = (value) => console.log(JSON.stringify(value));
    const wrong = (error) => say([error.name, error.errorClass]);
    const read = async (options, act = () => {}) => {
      const running = sdk.query({ prompt: "hi", options: { ...given, ...options } });
      for await (const message of running) if (await act(message, running) === "leave") break;
    };
    await read({ pathToKeelsonExecutable: "/nowhere/keelson" }).catch(wrong);
    await read({ extraArgs: { "no-such-flag": null } }).catch(wrong);
    const abortController = new AbortController();
    await read({ abortController }, () => abortController.abort()).catch(wrong);
    await read({}, () => "leave");
    say("left");
    `,
    door(home, model),
  );
  expect(lines).toEqual([
    ["CLINotFoundError", "executable_not_found"],
    ["ProcessError", "process_exited_nonzero"],
    ["AbortError", "aborted"],
    "left",
  ]);
});

test("tools of every make are understood on Node", async () => {
  using home = temporaryHome();
  const lines = await onNode(
    `
    const said = [];
    const transport = { start: async () => {}, close: async () => {}, send: async (message) => said.push(message) };
    const raw = { type: "object", properties: { a: { type: "number" } } };
    const { instance } = sdk.createSdkMcpServer({
      name: "calc",
      tools: [sdk.tool("double", "Doubles", raw, async ({ a }) => ({ content: [{ type: "text", text: String(a * 2) }] }))],
    });
    await instance.connect(transport);
    const ask = async (id, method, params) => {
      transport.onmessage({ jsonrpc: "2.0", id, method, params });
      while (!said.some((message) => message.id === id)) await new Promise((resolve) => setImmediate(resolve));
      console.log(JSON.stringify(said.find((message) => message.id === id).result));
    };
    await ask(1, "tools/list");
    await ask(2, "tools/call", { name: "double", arguments: { a: 4 } });
    `,
    { home: home.home },
  );
  expect(lines).toEqual([
    {
      tools: [
        {
          name: "double",
          description: "Doubles",
          inputSchema: { type: "object", properties: { a: { type: "number" } } },
        },
      ],
    },
    { content: [{ type: "text", text: "8" }] },
  ]);
});

test("sessions are listed and read on Node", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "hello" }]);
  const lines = await onNode(
    `
    const options = { ...given };
    process.env.HOME = options.env.HOME;
    for await (const message of sdk.query({ prompt: "hi there", options })) void message;
    const [session] = await sdk.listSessions({ dir: options.cwd });
    console.log(JSON.stringify(session.firstPrompt));
    const messages = await sdk.getSessionMessages(session.sessionId, { dir: options.cwd });
    console.log(JSON.stringify(messages.map(({ type }) => type)));
    `,
    door(home, model),
  );
  expect(lines).toEqual(["hi there", ["user", "assistant"]]);
});

test.each([["node", node!] as const, ["bun", process.execPath] as const])(
  "on %s, a session that a program has open is renamed by it, and deleted only when it has ended",
  async (_name, runtime) => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "One" }]);
    const id = crypto.randomUUID();
    const live = ["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose"];
    await using owner = startKeelson([...live, "--session-id", id, "--name", "Old"], {
      home,
      url: model.url,
      stdin: "open",
    });
    owner.send({ type: "user", message: { role: "user", content: "First" } });
    await owner.waitForLine(({ type }) => type === "result");
    const settings = { runtime, env: { CLAUDE_CONFIG_DIR: home.configDir, CLAUDE_CODE_TMPDIR: home.root } };
    const [first, second] = await onNode(
      `
      await sdk.renameSession(given.id, "  New   name ");
      console.log(JSON.stringify((await sdk.getSessionInfo(given.id)).customTitle));
      console.log(JSON.stringify(await sdk.deleteSession(given.id).then(() => "deleted", (error) => error.message)));
      `,
      { id },
      settings,
    );
    expect(first).toBe("New name");
    expect(second).toBe(`Session ${id} is open in keelson -p with input (process ${owner.pid}); end it there first`);
    owner.closeStdin();
    expect((await owner.done).code).toBe(0);
    const titles = readTranscript(home).flatMap((entry) => (entry.type === "custom-title" ? [entry.customTitle] : []));
    expect(titles.at(-1)).toBe("New name");
    const gone = await onNode(
      `await sdk.deleteSession(given.id);
      console.log(JSON.stringify((await sdk.listSessions()).length));`,
      { id },
      settings,
    );
    expect(gone).toEqual([0]);
  },
);

test("a session is deleted as soon as the program that had it has ended", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One" }]);
  const lines = await onNode(
    `
    let id;
    for await (const message of sdk.query({ prompt: "hello", options: given })) id = message.session_id ?? id;
    await sdk.deleteSession(id);
    console.log(JSON.stringify((await sdk.listSessions()).length));
    `,
    door(home, model),
    { env: { CLAUDE_CONFIG_DIR: home.configDir } },
  );
  expect(lines).toEqual([0]);
});
