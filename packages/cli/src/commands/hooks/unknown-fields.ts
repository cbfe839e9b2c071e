// Warnings about a `--tool` and fields of `--input` that no session would send. They are passed to the hooks as they
// are, because a hook may be written for a newer version, but most of them are typos.

import type { Snapshot } from "@keelson/config";
import { isObject, type HookEvent, type JsonObject } from "@keelson/protocol";
import { didYouMean } from "../../args/nearest.ts";
import { COMMON_FIELDS } from "./words.ts";

export async function unknownFields(
  event: HookEvent,
  tool: string | undefined,
  input: JsonObject | undefined,
  snapshot: Snapshot,
): Promise<readonly string[]> {
  if (input === undefined) return [];
  const { EVENT_FACTS } = await import("@keelson/runtime/hooks");
  const ofEvent = EVENT_FACTS[event].input;
  const isAboutTool = ofEvent.includes("tool_name");
  const isWhole = !isAboutTool || "tool_input" in input || "tool_name" in input;
  const given = isWhole ? input["tool_input"] : input;
  const { openExplainer } = await import("@keelson/runtime/explain");
  const name = tool ?? (typeof input["tool_name"] === "string" ? input["tool_name"] : "Bash");
  const ofTool = isAboutTool && isObject(given) ? openExplainer(snapshot).fields(name) : undefined;
  return [
    ...(isWhole ? unknownIn(input, event, ofEvent, EVERYWHERE) : []),
    ...(ofTool ? unknownIn(given as JsonObject, name, ofTool) : []),
  ];
}

/** A warning about a `--tool` that no session has. */
export async function unknownTool(tool: string | undefined, snapshot: Snapshot): Promise<readonly string[]> {
  if (tool === undefined || tool.startsWith("mcp__")) return [];
  const { openExplainer } = await import("@keelson/runtime/explain");
  const { tools } = openExplainer(snapshot);
  return tools.includes(tool) ? [] : [`--tool: unknown tool "${tool}"${didYouMean(tool, tools)}`];
}

/** Fields that a session may add to any event. */
const EVERYWHERE = [...COMMON_FIELDS, "permission_mode", "agent_id", "agent_type"];

function unknownIn(
  input: JsonObject,
  name: string,
  known: readonly string[],
  alsoFine: readonly string[] = [],
): readonly string[] {
  return Object.keys(input)
    .filter((field) => !known.includes(field) && !alsoFine.includes(field))
    .map((field) => {
      const hint = didYouMean(field, known) || `; its fields are ${known.join(", ")}`;
      return `--input: ${name} has no field "${field}"${hint}`;
    });
}
