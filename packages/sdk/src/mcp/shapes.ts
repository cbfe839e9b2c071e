// The parts of the Model Context Protocol that tools and callers need, as structural types: values and servers from the
// official MCP packages fit, but those packages are not required.

export type TextContent = { type: "text"; text: string; _meta?: Record<string, unknown>; [key: string]: unknown };
export type ImageContent = { type: "image"; data: string; mimeType: string; [key: string]: unknown };
export type AudioContent = { type: "audio"; data: string; mimeType: string; [key: string]: unknown };
export type EmbeddedResource = {
  type: "resource";
  resource: { uri: string; mimeType?: string; text?: string; blob?: string; [key: string]: unknown };
  [key: string]: unknown;
};
export type ResourceLink = { type: "resource_link"; uri: string; name: string; [key: string]: unknown };

export type CallToolResult = {
  content: (TextContent | ImageContent | AudioContent | EmbeddedResource | ResourceLink)[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [key: string]: unknown;
};

/** What a tool says about itself: hints, not guarantees. */
export type ToolAnnotations = {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
};

export type JSONRPCId = string | number;

export type JSONRPCMessage = {
  jsonrpc: "2.0";
  id?: JSONRPCId;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown };
};

/** How a server reaches its client. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: any, options?: any): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: any, extra?: any) => void;
  sessionId?: string;
}

/** A server in this process: ours, or an official `McpServer`. */
export interface McpServerInstance {
  connect(transport: McpTransport): Promise<void>;
  close(): Promise<void>;
}
