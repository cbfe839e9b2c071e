export {
  McpConnection,
  type McpCallOptions,
  type ConnectionOptions,
  type ServerManifest,
  type McpServerTool,
} from "./connection.ts";
export type { Transport } from "./client.ts";
export { joinedText, type CallResult } from "./content.ts";
export { renderServerInstructions } from "./instructions.ts";
export { sdkTransport } from "./transport/sdk.ts";
