// ListMcpResourcesTool: the resources that MCP servers offer.

import { defineTool, object, optional, string, type Tool } from "@keelson/engine";
import description from "./list-resources.md" with { type: "text" };
import { requireServer, listResources, type ListedResource, type McpResources } from "./resources.ts";

interface ListResourcesInput {
  readonly server?: string;
}

export function listMcpResourcesTool(resources: McpResources): Tool<ListResourcesInput, readonly ListedResource[]> {
  return defineTool<ListResourcesInput, readonly ListedResource[]>({
    name: "ListMcpResourcesTool",
    description,
    input: object({ server: optional(string("The server to ask; all servers if absent")) }),
    aliases: ["ListMcpResources"],
    describe: (input) => input.text("server"),
    parallelSafe: true,
    check({ server }) {
      if (server !== undefined) requireServer(resources, server);
    },
    access: () => ({ kind: "none" }),
    run: ({ server }, { signal }) => listResources(resources, server, signal),
    show: (listed) => (listed.length > 0 ? JSON.stringify(listed) : "No resources found"),
  });
}
