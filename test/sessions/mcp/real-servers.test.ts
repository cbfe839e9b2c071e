// Servers from npm, unchanged, over stdio.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerPrograms } from "@keelson/host/servers";
import { McpConnection, stdioTransport, type ConnectionOptions } from "@keelson/mcp";
import { testUnless } from "@keelson/testkit";

const programs = createServerPrograms();
const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-real-servers-")));
afterAll(async () => {
  await programs.close();
  rmSync(place, { recursive: true, force: true });
});
const signal = new AbortController().signal;

const root = join(import.meta.dir, "..", "..", "..");
const entryOf = (name: string) => {
  const folder = join(root, "node_modules", name.includes("/") ? name : `@modelcontextprotocol/server-${name}`);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: Record<string, string> };
  return join(folder, Object.values(bin)[0]!);
};

async function connect(name: string, args: readonly string[] = [], options: Partial<ConnectionOptions> = {}) {
  const connection = new McpConnection({
    name,
    timeoutMs: 60_000,
    callTimeoutMs: 60_000,
    mayDiscover: true,
    capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
    handlers: {
      "roots/list": async () => ({ roots: [{ uri: `file://${place}`, name: "place" }] }),
      "elicitation/create": async () => ({ action: "decline" }),
    },
    transport: stdioTransport(() =>
      programs.start({
        command: "node",
        args: [entryOf(name), ...args],
        cwd: place,
        env: { PATH: process.env["PATH"] ?? "", HOME: place, MEMORY_FILE_PATH: join(place, "memory.jsonl") },
      }),
    ),
    ...options,
  });
  await connection.open();
  expect([connection.status, connection.error]).toEqual(["connected", undefined]);
  return connection;
}

const toolNames = ({ tools }: McpConnection) => tools.map(({ facts }) => facts.name);
const blocksOf = async (call: ReturnType<McpConnection["call"]>) => (await call)!.blocks as readonly any[];

test("everything: content of every kind, progress, questions, resources and prompts", async () => {
  const problems: string[] = [];
  const connection = await connect("everything", [], { onProblem: (problem) => problems.push(problem) });
  expect(connection.facts).toMatchObject({ hasTools: true, hasPrompts: true, hasResources: true });
  expect(await blocksOf(connection.call("echo", { message: "hi" }, { signal }))).toMatchObject([{ text: "Echo: hi" }]);
  expect(await blocksOf(connection.call("get-tiny-image", {}, { signal }))).toContainEqual({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: expect.any(String) },
  });
  const structured = await connection.call("get-structured-content", { location: "Chicago" }, { signal });
  expect(structured?.structured).toMatchObject({ temperature: expect.any(Number) });
  const links = await blocksOf(connection.call("get-resource-links", { count: 2 }, { signal }));
  expect(links.filter(({ text }) => text.startsWith("[Resource link: ")).length).toBe(2);

  const progress: unknown[] = [];
  const how = { signal, toolUseId: "t", onProgress: (each: unknown) => progress.push(each) };
  await connection.call("trigger-long-running-operation", { duration: 0.1, steps: 2 }, how);
  expect(progress).toEqual([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ]);
  const declined = await blocksOf(connection.call("trigger-elicitation-request", {}, { signal }));
  expect(declined[0].text).toContain("declined");

  const resources = await connection.listResources(signal);
  expect(resources.length).toBeGreaterThan(3);
  expect((await connection.readResource(resources[0]!.uri, signal))[0]?.text).toBeString();
  expect((await connection.listResourceTemplates(signal)).length).toBe(2);
  expect((await connection.listPrompts(signal)).map(({ name }) => name)).toContain("args-prompt");
  const { messages } = await connection.getPrompt("args-prompt", { city: "Bern" }, signal);
  expect(JSON.stringify(messages)).toContain("Bern");
  expect(problems).toEqual([]);
  await connection.close();
});

test("filesystem: works in its folder and learns the roots", async () => {
  writeFileSync(join(place, "a.txt"), "alpha\n");
  const connection = await connect("filesystem", [place]);
  expect(toolNames(connection)).toContain("read_text_file");
  const path = join(place, "a.txt");
  expect(JSON.stringify(await blocksOf(connection.call("read_text_file", { path }, { signal })))).toContain("alpha");
  const written = join(place, "b.txt");
  await connection.call("write_file", { path: written, content: "beta\n" }, { signal });
  expect(readFileSync(written, "utf8")).toBe("beta\n");
  const outside = await connection.call("read_text_file", { path: "/etc/hostname" }, { signal });
  expect(outside?.isError).toBe(true);
  // Read-only tools may run side by side; tools that write may not.
  const parallel = connection.tools.filter(({ tool }) => tool.parallelSafe).map(({ facts }) => facts.name);
  expect([parallel.includes("read_text_file"), parallel.includes("write_file")]).toEqual([true, false]);
  await connection.close();
});

test("memory: remembers", async () => {
  const connection = await connect("memory");
  const entities = [{ name: "Bo", entityType: "person", observations: ["likes tea"] }];
  await connection.call("create_entities", { entities }, { signal });
  const graph = await blocksOf(connection.call("read_graph", {}, { signal }));
  expect(JSON.stringify(graph)).toContain("likes tea");
  await connection.close();
});

test("sequential-thinking: thinks", async () => {
  const connection = await connect("sequential-thinking");
  const thought = { thought: "First", thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
  const result = await connection.call("sequentialthinking", thought, { signal });
  expect([result?.isError, JSON.stringify(result?.blocks).includes("totalThoughts")]).toEqual([false, true]);
  await connection.close();
});

const chromium = Bun.which("chromium");
if (!chromium && process.env["CI"] && process.platform === "linux") {
  throw new Error("chromium is not installed; run scripts/ci-packages.sh");
}

testUnless(chromium ? null : "chromium is not installed", test)(
  "playwright: shows a page in a browser, which ends with the server",
  async () => {
    using site = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response("<h1>Hello from here</h1>", { headers: { "Content-Type": "text/html" } }),
    });
    const flags = ["--headless", "--isolated", "--no-sandbox", "--executable-path", chromium!];
    const connection = await connect("@playwright/mcp", flags);
    const { href: url } = site.url;
    const page = await connection.call("browser_navigate", { url }, { signal, toolUseId: "t" });
    expect([page?.isError, JSON.stringify(page?.blocks)]).toEqual([false, expect.stringContaining("127.0.0.1")]);
    const snapshot = await blocksOf(connection.call("browser_snapshot", {}, { signal }));
    expect(JSON.stringify(snapshot)).toContain("Hello from here");
    const image = await blocksOf(connection.call("browser_take_screenshot", {}, { signal }));
    expect(image.map(({ type }) => type)).toContain("image");
    expect(processesIn(place).length).toBeGreaterThan(2);
    await connection.close();
    expect(processesIn(place)).toEqual([]);
  },
);

/** Processes with this home, except those that have ended and wait to be reaped. */
function processesIn(home: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${Number(pid)}/environ`, "utf8").includes(`HOME=${home}\0`);
    } catch {
      return false;
    }
  });
}
