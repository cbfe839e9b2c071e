// An MCP server over stdio for tests of the program. A file says what it offers (see `FakeScript`); every start and every
// message it gets are lines of a log.

import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { FakeScript } from "./fake.ts";

const [path = "", ...more] = process.argv.slice(2);
const script = JSON.parse(readFileSync(path, "utf8")) as FakeScript;
const { stdout } = process;

const note = (event: object) => appendFileSync(script.log, `${JSON.stringify(event)}\n`);
const send = (message: object) => stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value: unknown) => ({ content: [{ type: "text", text: String(value) }] });

// A child of its own, to see that it ends too.
const helper = script.helper ? spawn("sleep", ["600"], { stdio: "ignore" }) : undefined;
note({ started: process.pid, argv: more, ...(helper ? { helper: helper.pid } : {}) });
if (script.ignoresSignals) for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => {});
if (script.exits !== undefined) {
  process.stderr.write(`${script.exits}\n`);
  process.exit(3);
}
const opened = async () => {
  while (script.gate !== undefined && !existsSync(script.gate)) await Bun.sleep(5);
};
if (script.slowAt === undefined) await opened();

let asked = 0;
const answers = new Map<string, (answer: any) => void>();
const ask = (method: string, params: object): Promise<any> => {
  const id = `ask-${++asked}`;
  send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
};

let grown = false;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${at}`,
    description: `Does thing ${at}. ${"More. ".repeat(20)}`,
  }));
const tools = () =>
  [
    ...script.tools.map((tool) => (typeof tool === "string" ? { name: tool } : tool)),
    ...numbered(script.count ?? 0),
    ...(grown ? [{ name: "grown" }] : []),
  ].map((tool) => ({ inputSchema: { type: "object" }, ...tool }));

/** A picture of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const CALLS: Record<string, (input: any) => object | Promise<object>> = {
  fail: () => ({ ...text("it broke"), isError: true }),
  picture: () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] }),
  damaged: () => ({ content: [{ type: "image", data: `${PIXEL.slice(0, 40)}AAAAAAAA`, mimeType: "image/png" }] }),
  async tall() {
    const pixel = new Bun.Image(Buffer.from(PIXEL, "base64"));
    const bytes = await pixel.resize(100, 9_000, { fit: "fill" }).png().bytes();
    return { content: [{ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: "image/png" }] };
  },
  sound: () => ({ content: [{ type: "audio", data: btoa("RIFF"), mimeType: "audio/wav" }] }),
  structured: () => ({ content: [{ type: "text", text: "{}" }], structuredContent: { sum: 3 } }),
  long: () => text("a long line of text\n".repeat(20_000)),
  write({ path }) {
    try {
      writeFileSync(path, "x");
      return text("written");
    } catch (error) {
      return text(String((error as NodeJS.ErrnoException).code));
    }
  },
  read({ path }) {
    try {
      return text(readFileSync(path, "utf8"));
    } catch (error) {
      return text(String((error as NodeJS.ErrnoException).code));
    }
  },
  crash: () => process.exit(4),
  hang: () => new Promise(() => {}),
  grow() {
    grown = true;
    send({ method: "notifications/tools/list_changed" });
    return text("grew");
  },
  async ask() {
    const { result } = await ask("elicitation/create", {
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return text(JSON.stringify(result));
  },
  async form({ message, schema }) {
    return text(JSON.stringify((await ask("elicitation/create", { message, requestedSchema: schema })).result));
  },
  async visit() {
    const params = { mode: "url", message: "Sign in", url: "https://example.test/sign-in", elicitationId: "e1" };
    const { result } = await ask("elicitation/create", params);
    if (result.action === "accept")
      send({ method: "notifications/elicitation/complete", params: { elicitationId: "e1" } });
    return text(JSON.stringify(result));
  },
  async roots() {
    return text((await ask("roots/list", {})).result.roots.map(({ uri }: { uri: string }) => uri));
  },
  approve: (question) => text(script.approves?.[question.tool_name] ?? "not JSON"),
  environment: () =>
    text(
      [
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "OWN",
        "ANTHROPIC_API_KEY",
      ]
        .map((name) => `${name}=${process.env[name] ?? ""}`)
        .join("\n"),
    ),
};

const METHODS: Record<string, (params: any) => object | Promise<object>> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: "fake", version: "1.2.3" },
    capabilities: {
      tools: { listChanged: true },
      ...(script.resources ? { resources: {} } : {}),
      ...(script.prompts ? { prompts: {} } : {}),
    },
    ...(script.instructions === undefined ? {} : { instructions: script.instructions }),
  }),
  "tools/list": () => ({ tools: tools() }),
  "tools/call": ({ name, arguments: input }) => CALLS[name]?.(input) ?? text(`${name} ${JSON.stringify(input)}`),
  "resources/list": () => ({ resources: script.resources!.map(({ uri, name }) => ({ uri, name })) }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": ({ uri }) => ({ contents: script.resources!.filter((resource) => resource.uri === uri) }),
  "prompts/list": () => ({ prompts: script.prompts!.map(({ says: _, ...prompt }) => prompt) }),
  "prompts/get": ({ name, arguments: given = {} }) => ({
    messages: [
      {
        role: "user",
        content: {
          type: "text",
          text: `${script.prompts!.find((prompt) => prompt.name === name)?.says} ${JSON.stringify(given)}`,
        },
      },
    ],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  note({ got: message.method ?? "answer", pid: process.pid, ...(message.params ? { params: message.params } : {}) });
  if (message.method === undefined) answers.get(message.id)?.(message);
  else if (message.id !== undefined) void answer(message);
}
if (script.ignoresSignals) await new Promise(() => setInterval(() => {}, 1 << 30));

async function answer({ id, method, params }: any): Promise<void> {
  if (method === script.slowAt) await opened();
  const handle = METHODS[method];
  send(handle ? { id, result: await handle(params) } : { id, error: { code: -32601, message: `No method ${method}` } });
}
