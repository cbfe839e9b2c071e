// Parses a tool call as people write it: `Bash(git push)`, `Read {"file_path": "x"}`, or only a tool name.

import { jsonProblem } from "../../args/flag-values.ts";
import { isObject, type JsonObject } from "@keelson/protocol";

export interface WrittenCall {
  readonly tool: string;
  readonly input: JsonObject;
}

export type ParsedCall =
  { readonly ok: true; readonly call: WrittenCall } | { readonly ok: false; readonly message: string };

export function parseCall(text: string): ParsedCall {
  const trimmed = text.trim();
  const json = /^([A-Za-z_][\w.-]*)\s+(\{[\s\S]*\})$/.exec(trimmed);
  if (json) return withInput(json[1]!, json[2]!);
  const short = /^([A-Za-z_][\w.-]*)\(([\s\S]*)\)$/.exec(trimmed);
  if (short) return shorthand(short[1]!, short[2]!);
  if (/^([A-Z][A-Za-z]*|mcp__[\w-]+)$/.test(trimmed)) return { ok: true, call: { tool: trimmed, input: {} } };
  return {
    ok: false,
    message: `"${trimmed}" is not a tool call; write 'Bash(git push)', or a tool name and its input as JSON`,
  };
}

function withInput(tool: string, text: string): ParsedCall {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { ok: false, message: `the input of ${tool} is not valid JSON: ${jsonProblem(error)}` };
  }
  if (!isObject(input)) return { ok: false, message: `the input of ${tool} must be a JSON object` };
  return { ok: true, call: { tool, input: input as JsonObject } };
}

/** Turns the text in parentheses into an input. Only the field that decides matters; the rest is filler. */
const SHORTHAND: Readonly<Record<string, (content: string) => JsonObject>> = {
  Bash: (command) => ({ command }),
  PowerShell: (command) => ({ command }),
  Read: (file_path) => ({ file_path }),
  Edit: (file_path) => ({ file_path, old_string: "before", new_string: "after" }),
  Write: (file_path) => ({ file_path, content: "" }),
  NotebookEdit: (notebook_path) => ({ notebook_path, new_source: "" }),
  Glob: (path) => ({ pattern: "**", path }),
  Grep: (path) => ({ pattern: ".", path }),
  WebFetch: (url) => ({ url: url.replace(/^domain:(.*)$/, "https://$1/"), prompt: "" }),
  Agent: (subagent_type) => ({ subagent_type }),
  Task: (subagent_type) => ({ subagent_type }),
  Skill: (skill) => ({ skill }),
};

function shorthand(tool: string, content: string): ParsedCall {
  if (Object.hasOwn(SHORTHAND, tool)) return { ok: true, call: { tool, input: SHORTHAND[tool]!(content) } };
  return {
    ok: false,
    message: `${tool} has no short form; write its input as JSON: ${tool} '{"field": "value"}'`,
  };
}
