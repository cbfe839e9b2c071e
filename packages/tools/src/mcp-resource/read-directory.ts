// ReadMcpResourceDirTool: the resources of one server beneath a URI.

import { defineTool, object, string, type Tool } from "@keelson/engine";
import description from "./read-directory.md" with { type: "text" };
import { requireServer, listResources, type ListedResource, type McpResources } from "./resources.ts";

interface ReadDirectoryInput {
  readonly server: string;
  readonly uri: string;
}

interface ReadDirectoryOutput {
  readonly resources: readonly ListedResource[];
}

export function readMcpResourceDirTool(resources: McpResources): Tool<ReadDirectoryInput, ReadDirectoryOutput> {
  return defineTool<ReadDirectoryInput, ReadDirectoryOutput>({
    name: "ReadMcpResourceDirTool",
    description,
    input: object({
      server: string("The server that has the resources"),
      uri: string("The URI that the resources start with, such as file:///docs"),
    }),
    aliases: ["ReadMcpResourceDir"],
    describe: (input) => input.text("uri"),
    parallelSafe: true,
    check: ({ server }) => requireServer(resources, server),
    access: () => ({ kind: "none" }),

    async run({ server, uri }, { signal }) {
      const folder = uri.endsWith("/") ? uri : `${uri}/`;
      const listed = await listResources(resources, server, signal);
      return { resources: listed.filter((resource) => resource.uri.startsWith(folder) && resource.uri !== folder) };
    },

    show: ({ resources: found }) => (found.length > 0 ? JSON.stringify({ resources: found }) : "No resources found"),
  });
}
