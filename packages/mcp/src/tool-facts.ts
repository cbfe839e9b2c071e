// Parses one tool from a server's list: checks it, limits its size, and makes it acceptable to the model API.

import { isObject, type JsonObject } from "@keelson/protocol";
import { toApiSchema } from "./input-schema.ts";
import { MAX_TOOL_NAME_LENGTH } from "./naming.ts";

export interface ToolFacts {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
  /** The longest result the author expects, in characters. */
  readonly maxShown?: number;
}

const MAX_DESCRIPTION_LENGTH = 2_048;
const MAX_RESULT_LENGTH = 500_000;

export function readTool(value: unknown): ToolFacts | { readonly problem: string } {
  if (!isObject(value)) return { problem: "Skipped a tool that is not an object" };
  const { name, title, description, inputSchema, annotations, _meta: meta } = value;
  if (typeof name !== "string" || name === "") return { problem: "Skipped a tool without a name" };
  if (name.length > MAX_TOOL_NAME_LENGTH)
    return { problem: `Skipped the tool "${name.slice(0, 40)}…": its name is too long` };
  const schema = toApiSchema(inputSchema);
  if ("problem" in schema) return { problem: `Skipped the tool "${name}": ${schema.problem}` };
  const hints = isObject(annotations) ? annotations : {};
  const shownAs = typeof title === "string" ? title : hints["title"];
  const size = isObject(meta) ? meta["anthropic/maxResultSizeChars"] : undefined;
  return {
    name,
    ...(typeof shownAs === "string" ? { title: shownAs.slice(0, MAX_TOOL_NAME_LENGTH) } : {}),
    description: typeof description === "string" ? cut(description) : "",
    inputSchema: schema.json,
    annotations: {
      ...flag("readOnly", hints["readOnlyHint"]),
      ...flag("destructive", hints["destructiveHint"]),
      ...flag("openWorld", hints["openWorldHint"]),
    },
    ...(typeof size === "number" && size > 0 ? { maxShown: Math.min(size, MAX_RESULT_LENGTH) } : {}),
  };
}

function cut(description: string): string {
  return description.length <= MAX_DESCRIPTION_LENGTH
    ? description
    : `${description.slice(0, MAX_DESCRIPTION_LENGTH).toWellFormed()}… [truncated]`;
}

const flag = (name: string, value: unknown) => (typeof value === "boolean" ? { [name]: value } : {});
