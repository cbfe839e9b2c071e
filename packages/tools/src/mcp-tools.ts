// The tools that exist only in sessions with MCP servers or withheld tools. A door of its own: other sessions never load
// them.

export { listMcpResourcesTool } from "./mcp-resource/list-resources.ts";
export { readMcpResourceDirTool } from "./mcp-resource/read-directory.ts";
export { readMcpResourceTool } from "./mcp-resource/read-resource.ts";
export type { McpResource, McpResourceContent, McpResources } from "./mcp-resource/resources.ts";
export type { DeferredTool } from "./tool-search/tool-index.ts";
export { toolSearchTool, type ToolCatalog } from "./tool-search/tool-search.ts";
