// Follows tool calls from the reply that makes them to their result, and says once what became of each. Pure.

import type { Permission } from "@keelson/engine";
import { blocksOf, isToolResult, isToolUse, type ToolResultBlock } from "@keelson/protocol";
import type { Fact, WatchedAgent } from "./facts.ts";

export interface EndedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly startMs: number;
  readonly endMs: number;
  /** The tool itself, without the time that a person was waited for. Undefined if it did not run. */
  readonly ran?: RunTime | undefined;
  readonly permission?: Permission | undefined;
  readonly result: ToolResultBlock;
  /** The tool's own output. */
  readonly output: unknown;
  readonly agent?: WatchedAgent | undefined;
}

interface RunTime {
  readonly ms: number;
  readonly endMs: number;
}

interface OpenCall {
  readonly tool: string;
  readonly input: unknown;
  readonly startMs: number;
  ran?: RunTime;
  permission?: Permission;
}

/** Calls that never get a result must not pile up. */
const MOST_OPEN = 1_000;

/** Returns the calls that ended with a fact. */
export function callWatch(): (fact: Fact) => readonly EndedCall[] {
  const open = new Map<string, OpenCall>();
  const begin = (key: string, call: OpenCall) => {
    if (open.size >= MOST_OPEN) open.delete(open.keys().next().value!);
    open.set(key, call);
  };
  return (fact) => {
    if (fact.type === "permission") {
      const call = open.get(keyOf(fact.agent, fact.request.call.id));
      if (call) call.permission = fact.permission;
      return [];
    }
    if (fact.type === "event") {
      const { tool_use_id: id, duration_ms: ms } = fact.input;
      const call = typeof id === "string" ? open.get(keyOf(fact.agent, id)) : undefined;
      if (call && typeof ms === "number") call.ran = { ms, endMs: fact.at };
      return [];
    }
    if (fact.type !== "entries") return [];
    const { at, agent } = fact;
    return fact.entries.flatMap((entry) => {
      if (entry.type !== "user" && entry.type !== "assistant") return [];
      return blocksOf(entry.message.content).flatMap((block): EndedCall[] => {
        if (isToolUse(block)) {
          begin(keyOf(agent, block.id), { tool: block.name, input: block.input, startMs: at });
          return [];
        }
        if (!isToolResult(block)) return [];
        const key = keyOf(agent, block.tool_use_id);
        const call = open.get(key);
        open.delete(key);
        if (!call) return [];
        const output = entry.type === "user" ? entry.toolUseResult : undefined;
        return [{ id: block.tool_use_id, ...call, endMs: at, result: block, output, agent }];
      });
    });
  };
}

const keyOf = (agent: WatchedAgent | undefined, id: string) => `${agent?.id ?? ""} ${id}`;
