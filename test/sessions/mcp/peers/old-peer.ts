// A server made with the official SDK of the protocols up to 2025-11-25.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function oldPeer(): McpServer {
  const server = new McpServer(
    { name: "old-peer", version: "1.0.0" },
    { capabilities: { logging: {} }, instructions: "Old and reliable." },
  );
  const numbers = { a: z.number(), b: z.number() };
  server.registerTool("add", { inputSchema: numbers }, async ({ a, b }) => text(String(a + b)));
  server.registerTool("ask", {}, async () => {
    const { action, content } = await server.server.elicitInput({
      message: "Your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return text(`${action} ${String(content?.["name"])}`);
  });
  server.registerTool("roots", {}, async () => {
    const { roots } = await server.server.listRoots();
    return text(roots.map(({ uri }) => uri).join());
  });
  server.registerTool("slow", {}, async (extra) => {
    const progressToken = extra._meta?.progressToken ?? 0;
    for (const progress of [1, 2, 3]) {
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    }
    await server.server.sendLoggingMessage({ level: "info", logger: "peer", data: "nearly done" });
    return text("done");
  });
  server.registerTool("grow", {}, async () => {
    server.registerTool("grown", {}, async () => text("new"));
    return text("grown");
  });
  server.registerTool("hang", {}, (extra) => {
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof text>>();
    extra.signal.addEventListener("abort", () => {
      void server.server.sendLoggingMessage({ level: "info", data: "cancelled" });
      resolve(text("never sent"));
    });
    void server.server.sendLoggingMessage({ level: "info", data: "hanging" });
    return promise;
  });
  server.registerPrompt("greet", { argsSchema: { who: z.string() } }, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${who}` } }],
  }));
  server.registerResource("notes", "note://1", { mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, text: "a note" }],
  }));
  return server;
}
