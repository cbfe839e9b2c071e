// Servers from npm, unchanged, in a session of the program: over stdio, streamable HTTP and server-sent events.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told } from "../front-door.ts";
import { withServers } from "../servers/fake.ts";

const modules = join(import.meta.dir, "../../..", "node_modules", "@modelcontextprotocol");

function entryOf(name: string): string {
  const folder = join(modules, `server-${name}`);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { bin: Record<string, string> };
  return join(folder, Object.values(bin)[0]!);
}

/** The server "everything" on a port of its own. */
async function everythingAt(transport: "streamableHttp" | "sse") {
  const reserved = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = reserved;
  await reserved.stop(true);
  const server = Bun.spawn(["node", entryOf("everything"), transport], {
    env: { PATH: process.env["PATH"] ?? "", PORT: String(port) },
    stdout: "ignore",
    stderr: "pipe",
  });
  const reader = server.stderr.getReader();
  let said = "";
  for (const text = new TextDecoder(); !/port|running/i.test(said);) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The server ended: ${said}`);
    said += text.decode(value);
  }
  // A server whose output no one reads would stop.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return {
    url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`,
    async [Symbol.asyncDispose]() {
      server.kill();
      await server.exited;
    },
  };
}

const calls = (name: string, input: object) => ({ calls: [{ name, input: input as never }] });

test("everything over streamable HTTP and server-sent events: content, questions, roots, prompts and resources", async () => {
  using home = temporaryHome();
  await using http = await everythingAt("streamableHttp");
  await using sse = await everythingAt("sse");
  const steps: readonly (readonly [string, object, unknown])[] = [
    ["mcp__http__echo", { message: "hi" }, [{ type: "text", text: "Echo: hi" }]],
    ["mcp__sse__echo", { message: "hi" }, [{ type: "text", text: "Echo: hi" }]],
    ["mcp__http__get-tiny-image", {}, expect.arrayContaining([expect.objectContaining({ type: "image" })])],
    ["mcp__sse__get-structured-content", { location: "Chicago" }, [text(/"temperature":\d+/)]],
    ["mcp__http__trigger-long-running-operation", { duration: 0.1, steps: 2 }, [text(/completed/)]],
    ["mcp__http__trigger-elicitation-request", {}, [text(/cancelled/), text(/"cancel"/)]],
    ["mcp__sse__get-roots-list", {}, [text(new RegExp(`file://${home.project}`))]],
    ["mcp__http__get-resource-links", { count: 1 }, [text(/1 resource link/), text(/^\[Resource link: .*\] demo:/)]],
    [
      "ReadMcpResourceTool",
      { server: "sse", uri: "demo://resource/dynamic/text/1" },
      expect.stringContaining("plaintext"),
    ],
  ];
  await using model = await startMockModel([...steps.map(([name, input]) => calls(name, input)), { text: "done" }]);
  const entries = {
    http: { type: "http", url: http.url, alwaysLoad: true },
    sse: { type: "sse", url: sse.url, alwaysLoad: true },
  };
  const flags = [...withServers(entries), "--allowedTools", "mcp__http,mcp__sse"];
  const ended = await runKeelson(["-p", "/mcp__http__args-prompt Bern", ...STREAM, ...flags], { home, url: model.url });
  const [init] = messagesOf(ended, "system/init");
  expect(init.mcp_servers.map(({ status }: any) => status)).toEqual(["connected", "connected"]);
  expect(init.slash_commands).toContain("mcp__sse__simple-prompt");
  // Sampling is not offered, so the server does not offer its tool for it.
  expect(init.tools).not.toContain("mcp__http__trigger-sampling-request");
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain("What's weather in Bern");
  expect(model.requests.slice(1).map((request) => told(request)[0].content)).toEqual(
    steps.map(([, , content]) => content),
  );
});

test("filesystem, memory and sequential-thinking over stdio", async () => {
  using home = temporaryHome();
  home.write("a.txt", "alpha\n");
  const path = join(home.project, "a.txt");
  const entities = [{ name: "Bo", entityType: "person", observations: ["likes tea"] }];
  const thought = { thought: "First", thoughtNumber: 1, totalThoughts: 2, nextThoughtNeeded: true };
  const steps: readonly (readonly [string, object, unknown])[] = [
    ["mcp__filesystem__read_text_file", { path }, [text(/alpha/)]],
    ["mcp__filesystem__read_text_file", { path: "/etc/hostname" }, expect.stringContaining("Access denied")],
    ["mcp__memory__create_entities", { entities }, [text(/likes tea/)]],
    ["mcp__memory__read_graph", {}, [text(/likes tea/)]],
    ["mcp__sequential-thinking__sequentialthinking", thought, [text(/"thoughtHistoryLength":1/)]],
  ];
  await using model = await startMockModel([...steps.map(([name, input]) => calls(name, input)), { text: "done" }]);
  const names = ["filesystem", "memory", "sequential-thinking"];
  const entries = names.map((name) => {
    // The folder is replaced by the roots that the client names.
    const args = [entryOf(name), ...(name === "filesystem" ? ["/"] : [])];
    const env = { MEMORY_FILE_PATH: join(home.root, "memory.jsonl") };
    return [name, { command: "node", args, env, alwaysLoad: true }];
  });
  const flags = [
    ...withServers(Object.fromEntries(entries)),
    "--allowedTools",
    names.map((name) => `mcp__${name}`).join(","),
  ];
  await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url });
  expect(model.requests.slice(1).map((request) => told(request)[0].content)).toEqual(
    steps.map(([, , content]) => content),
  );
});

const text = (pattern: RegExp) => ({ type: "text", text: expect.stringMatching(pattern) });
