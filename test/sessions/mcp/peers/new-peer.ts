// A server made with the official SDK of the protocol of 2026-07-28.

import { acceptedContent, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export function newPeer(): McpServer {
  const server = new McpServer({ name: "new-peer", version: "2.0.0" }, { instructions: "New and stateless." });
  const numbers = z.object({ a: z.number(), b: z.number() });
  server.registerTool("add", { inputSchema: numbers }, async ({ a, b }) => text(String(a + b)));
  const name = z.object({ name: z.string() });
  server.registerTool("ask", {}, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "name", name);
    if (answer) return text(`accept ${answer.name}`);
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: "Your name?", requestedSchema: name }) },
    });
  });
  server.registerTool("roots", {}, async (context) => {
    const answer = context.mcpReq.inputResponses?.["roots"] as
      { readonly roots: { readonly uri: string }[] } | undefined;
    if (answer) return text(answer.roots.map(({ uri }) => uri).join());
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool("grow", {}, async () => {
    server.registerTool("grown", {}, async () => text("new"));
    return text("grown");
  });
  server.registerPrompt("greet", { argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${who}` } }],
  }));
  server.registerResource("notes", "note://1", { mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, text: "a note" }],
  }));
  return server;
}
