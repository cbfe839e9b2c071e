export {
  McpConnection,
  type McpCallOptions,
  type ConnectionOptions,
  type ServerManifest,
} from "./connection/connection.ts";
export type { McpServerTool } from "./tools/tool-list.ts";
export type { RequestHandler, RequestHandlers } from "./connection/answers.ts";
export type { Progress, Transport, TransportEvents } from "./connection/client.ts";
export { joinedText, type CallResult } from "./tools/content.ts";
export type { McpPromptMessage, McpPromptResult, ResourceContent } from "./lists/documents.ts";
export type { McpPrompt, ResourceFacts, TemplateFacts } from "./lists/entries.ts";
export type { ListKind, ServerFacts } from "./connection/handshake.ts";
export { renderServerInstructions } from "./instructions.ts";
export { normalizeName, toolName } from "./naming.ts";
export type { LogMessage } from "./connection/notices.ts";
export { McpError, NeedsSignInError } from "./connection/rpc.ts";
export { sdkTransport } from "./transport/sdk.ts";
export { stdioTransport, type ServerProcess } from "./transport/stdio.ts";
export { watchedTransport, type OnMessage } from "./transport/watched.ts";
export { webSocketTransport, type WebSocketOptions } from "./transport/websocket.ts";
export { isDeeperThan } from "./tools/depth.ts";
