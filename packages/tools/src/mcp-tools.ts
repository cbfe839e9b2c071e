// The tools that exist only in sessions with MCP servers. A door of its own: other sessions never load them.

export { listMcpResourcesTool } from "./mcp-resource/list-resources.ts";
export { readMcpResourceDirTool } from "./mcp-resource/read-directory.ts";
export { readMcpResourceTool } from "./mcp-resource/read-resource.ts";
export type { McpResource, McpResourceContent, McpResources } from "./mcp-resource/resources.ts";
