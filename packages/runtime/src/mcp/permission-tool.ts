// `--permission-prompt-tool mcp__server__tool`: an MCP tool answers permission questions instead of a person. It gets
// the call and replies with the JSON that clients give to `can_use_tool`.

import { tryParse, type JsonObject } from "@keelson/protocol";
import type { McpStage } from "./open-servers.ts";
import type { AskPerson } from "../gate/ask.ts";

export function askPromptTool(name: string, mcp: McpStage): AskPerson {
  return async ({ tool_name, input, tool_use_id }, withdrawn) => {
    const failed = (error: string) => ({ subtype: "error" as const, request_id: "", error });
    try {
      await mcp.servers?.awaitTool(name, withdrawn);
      const found = mcp.servers?.offered.get(name);
      if (!found) return failed(`--permission-prompt-tool ${name} is not a tool of a connected MCP server`);
      if (found.server.definition.configured?.untrusted)
        return failed(`--permission-prompt-tool ${name} is from a folder that is not trusted; run: keelson trust`);
      const question = { tool_name, input, tool_use_id } as JsonObject;
      const { blocks, isError } = await found.server.call(found.facts.name, question, { signal: withdrawn });
      const { joinedText } = await import("@keelson/mcp");
      const text = joinedText(blocks);
      if (isError) return failed(`${name} failed: ${text.slice(0, MAX_ERROR)}`);
      const response = tryParse(text);
      return response === undefined
        ? failed(`${name} did not answer with JSON`)
        : ({ subtype: "success", request_id: "", response: response as JsonObject, isProgram: true } as const);
    } catch (error) {
      return failed(`${name} failed: ${(error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR)}`);
    }
  };
}

const MAX_ERROR = 500;
