import { expect, test } from "bun:test";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import { listMcpResourcesTool } from "./list-resources.ts";
import { readMcpResourceDirTool } from "./read-directory.ts";
import { readMcpResourceTool } from "./read-resource.ts";
import type { McpResource, McpResourceContent, McpResources } from "./resources.ts";

const LISTS: Readonly<Record<string, readonly McpResource[]>> = {
  "my srv": [
    { uri: "file:///docs/a.md", name: "a", mimeType: "text/markdown", description: "The letter A" },
    { uri: "file:///docs/deep/b.md", name: "b" },
    { uri: "file:///docs-old/c.md", name: "c" },
  ],
  other: [{ uri: "x:1", name: "one" }],
};

interface Saved {
  readonly server: string;
  readonly mimeType?: string;
  readonly text: string;
}

function resources(contents: readonly McpResourceContent[] = [], more: Partial<McpResources> = {}) {
  const saved: Saved[] = [];
  const from: McpResources = {
    servers: () => Object.keys(LISTS),
    list: async (server) => LISTS[server]!,
    read: async () => contents,
    async save({ server, mimeType, bytes }) {
      saved.push({ server, ...(mimeType === undefined ? {} : { mimeType }), text: new TextDecoder().decode(bytes) });
      return `/results/${saved.length}`;
    },
    ...more,
  };
  return { from, saved };
}

const withServer = (server: string) => LISTS[server]!.map((resource) => ({ ...resource, server }));

test("ListMcpResourcesTool lists one server or all, as JSON", async () => {
  using world = toolWorld();
  const tool = listMcpResourcesTool(resources().from);
  expect(await answer(tool, { server: "other" }, world.context)).toBe('[{"uri":"x:1","name":"one","server":"other"}]');
  expect(await call(tool, {}, world.context)).toEqual([...withServer("my srv"), ...withServer("other")]);
  const empty = listMcpResourcesTool(resources([], { servers: () => [] }).from);
  expect(await answer(empty, {}, world.context)).toBe("No resources found");
});

test("an unknown server is refused, and the known ones are named", async () => {
  using world = toolWorld();
  const { from } = resources();
  const none = resources([], { servers: () => [] }).from;
  const text = 'refused: Server "nope" not found. Available servers: my srv, other';
  expect(await answer(listMcpResourcesTool(from), { server: "nope" }, world.context)).toBe(text);
  expect(await answer(readMcpResourceTool(from), { server: "nope", uri: "x" }, world.context)).toBe(text);
  expect(await answer(readMcpResourceDirTool(from), { server: "nope", uri: "x" }, world.context)).toBe(text);
  expect(await answer(readMcpResourceTool(none), { server: "nope", uri: "x" }, world.context)).toBe(
    'refused: Server "nope" not found. No server has resources',
  );
});

test("a server that fails does not hide the others", async () => {
  using world = toolWorld();
  const list: McpResources["list"] = async (server) => {
    if (server === "other") return LISTS[server]!;
    throw new Error("MCP error -32000: Connection closed");
  };
  const tool = listMcpResourcesTool(resources([], { list }).from);
  expect(await call(tool, {}, world.context)).toEqual(withServer("other"));
  expect(await answer(tool, { server: "my srv" }, world.context)).toBe("failed: MCP error -32000: Connection closed");
});

test("ReadMcpResourceTool shows text and saves binary content", async () => {
  using world = toolWorld();
  const { from, saved } = resources([
    { uri: "x:1", mimeType: "text/plain", text: "hello" },
    { uri: "x:2", mimeType: "application/pdf", blob: Buffer.from("%PDF").toString("base64") },
    { uri: "x:3" },
  ]);
  expect(await answer(readMcpResourceTool(from), { server: "other", uri: "x:1" }, world.context)).toBe(
    JSON.stringify({
      contents: [
        { uri: "x:1", mimeType: "text/plain", text: "hello" },
        {
          uri: "x:2",
          mimeType: "application/pdf",
          blobSavedTo: "/results/1",
          text: "[Resource from other at x:2] Binary content (application/pdf, 4 bytes) saved to /results/1",
        },
        { uri: "x:3" },
      ],
    }),
  );
  expect(saved).toEqual([{ server: "other", mimeType: "application/pdf", text: "%PDF" }]);
});

test("text too long to keep is saved, and what is too large to save is left out", async () => {
  using world = toolWorld();
  const long = "x".repeat(900_000);
  const huge = "y".repeat(101 * 1024 * 1024);
  const { from, saved } = resources([
    { uri: "x:1", text: long },
    { uri: "x:2", text: long },
    { uri: "x:3", text: huge },
    ...Array.from({ length: 500 }, () => ({ uri: "x:4", text: "z" })),
  ]);
  const { contents } = await call(readMcpResourceTool(from), { server: "other", uri: "x:1" }, world.context);
  expect(contents.slice(0, 4)).toEqual([
    { uri: "x:1", text: long },
    {
      uri: "x:2",
      blobSavedTo: "/results/1",
      text: "[Resource from other at x:2] Text (unknown type, 900000 bytes) saved to /results/1",
    },
    { uri: "x:3", text: "[101.0MB left out: too large]" },
    { uri: "x:4", text: "z" },
  ]);
  expect({ contents: contents.length, saved: saved.map(({ text }) => text.length) }).toEqual({
    contents: 200,
    saved: [900_000],
  });
});

test("a resource that is not there: the model is told how to find those that are", async () => {
  using world = toolWorld();
  const read = () => Promise.reject(Object.assign(new Error("MCP error -32002: gone"), { code: -32002 }));
  const tool = readMcpResourceTool(resources([], { read }).from);
  expect(await answer(tool, { server: "other", uri: "x:9" }, world.context)).toBe(
    "failed: Resource not found: x:9. Call ListMcpResourcesTool for the resources that exist now",
  );
});

test("a read that fails tells the model why", async () => {
  using world = toolWorld();
  const read = () => Promise.reject(new Error("MCP error -32002: Resource not found"));
  const tool = readMcpResourceTool(resources([], { read }).from);
  expect(await answer(tool, { server: "other", uri: "x:9" }, world.context)).toBe(
    "failed: MCP error -32002: Resource not found",
  );
});

test.each([["file:///docs"], ["file:///docs/"]])("ReadMcpResourceDirTool lists what is beneath %p", async (uri) => {
  using world = toolWorld();
  const tool = readMcpResourceDirTool(resources().from);
  expect(await call(tool, { server: "my srv", uri }, world.context)).toEqual({
    resources: withServer("my srv").slice(0, 2),
  });
  expect(await answer(tool, { server: "my srv", uri: "file:///none" }, world.context)).toBe("No resources found");
});
