// The tools of one server as the engine runs them, with names that are valid and unique.

import type { Tool } from "@keelson/engine";
import type { JsonObject } from "@keelson/protocol";
import type { Progress } from "../client.ts";
import type { CallResult } from "./content.ts";
import { MAX_TOOL_NAME_LENGTH } from "../naming.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { mcpTool } from "./tools.ts";

/** A tool as the server describes it and as the engine runs it. */
export interface McpServerTool {
  readonly facts: ToolFacts;
  readonly tool: Tool;
}

export interface ToolSetOptions {
  readonly server: string;
  readonly maxShown?: number;
  call(
    tool: string,
    input: JsonObject,
    how: { readonly toolUseId: string; readonly signal: AbortSignal; onProgress?(progress: Progress): void },
  ): Promise<CallResult>;
  /** Called with a sentence for each tool that is left out. */
  report(problem: string): void;
}

export function wrapTools(tools: readonly ToolFacts[], options: ToolSetOptions): readonly McpServerTool[] {
  const { server, maxShown, call, report } = options;
  const names = new Set<string>();
  return tools.flatMap((facts) => {
    const tool = mcpTool({ server, facts, maxShown, call: (input, how) => call(facts.name, input, how) });
    if (tool.name.length > MAX_TOOL_NAME_LENGTH) {
      report(`Skipped the tool "${facts.name}": server name and tool name together are too long`);
    } else if (names.has(tool.name)) {
      report(`Skipped the tool "${facts.name}": another tool is already named "${tool.name}"`);
    } else {
      names.add(tool.name);
      return [{ facts, tool }];
    }
    return [];
  });
}
