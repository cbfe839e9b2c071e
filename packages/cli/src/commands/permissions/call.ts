// A tool call as people write it: `Bash(git push)`, `Read {"file_path": "x"}`, or a bare tool name.

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
    message: `'${trimmed}' is not a call. Write Tool(…), as in 'Bash(git push)', or a tool and its input as JSON`,
  };
}

function withInput(tool: string, text: string): ParsedCall {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { ok: false, message: `The input of ${tool} is not valid JSON: ${(error as Error).message}` };
  }
  if (!isObject(input)) return { ok: false, message: `The input of ${tool} must be a JSON object` };
  return { ok: true, call: { tool, input: input as JsonObject } };
}

/** What stands in the parentheses, as the field of the input that matters; the other fields decide nothing. */
const SHORTHAND: Readonly<Record<string, (content: string) => JsonObject>> = {
  Bash: (command) => ({ command }),
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
    message: `${tool}(…) says too little about a call of ${tool}. Write its input as JSON: ${tool} '{"field": "value"}'`,
  };
}
