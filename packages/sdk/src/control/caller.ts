// The caller's side of one query: its callbacks, its servers, and what it sends in `initialize`.

import type { FieldsOf } from "@keelson/protocol";
import { ControlRequestError } from "../errors.ts";
import { registerHooks, type RegisteredHooks } from "../hooks/callbacks.ts";
import { splitServers } from "../mcp/config.ts";
import { inProcessServers, type InProcessServers } from "../mcp/in-process.ts";
import type { JSONRPCMessage } from "../mcp/shapes.ts";
import { askElicitation, askUserDialog } from "../options/dialogs.ts";
import { toInitialize } from "../options/initialize.ts";
import type { Options } from "../options/options.ts";
import { askPermission } from "../permissions/ask.ts";
import type { AnswerRequest } from "./control-request.ts";

export interface ControlCaller {
  readonly options: Options;
  readonly hooks: RegisteredHooks;
  readonly servers: InProcessServers;
  readonly answer: AnswerRequest;
  initialize(): FieldsOf<"initialize">;
  /** Whether the program may have to ask the caller something before it can continue. */
  readonly isNeeded: boolean;
}

/** `send` carries messages that the caller's MCP servers send on their own. */
export function createCaller(
  options: Options,
  send: (server: string, message: JSONRPCMessage) => Promise<void>,
): ControlCaller {
  const hooks = registerHooks(options.hooks);
  const servers = inProcessServers(splitServers(options.mcpServers).here, send);
  return {
    options,
    hooks,
    servers,
    initialize: () => toInitialize(options, hooks.announced, servers),
    get isNeeded() {
      return (
        options.canUseTool !== undefined ||
        options.onElicitation !== undefined ||
        options.onUserDialog !== undefined ||
        hooks.announced !== undefined ||
        servers.names.length > 0
      );
    },
    async answer(request, asked) {
      const { subtype } = request;
      switch (request.subtype) {
        case "can_use_tool":
          return askPermission(options.canUseTool, request, asked);
        case "hook_callback":
          return hooks.call(request, asked);
        case "mcp_message":
          return servers.answer(request, asked);
        case "elicitation":
          return askElicitation(options.onElicitation, request, asked);
        case "request_user_dialog":
          return askUserDialog(options.onUserDialog, request, asked);
        default: {
          const text = `Unsupported control request subtype: ${subtype}`;
          throw new ControlRequestError(text, "unsupported_request");
        }
      }
    },
  };
}
