// Parses one tool from a server's list: checks it, limits its size, and makes it acceptable to the model API.

import { isObject, type JsonObject } from "@keelson/protocol";
import { toApiSchema } from "./input-schema.ts";
import { MAX_TOOL_NAME_LENGTH } from "../naming.ts";
import { hasHidden, plainLine, cutPlainText } from "../plain-text.ts";

export interface ToolFacts {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
  /** The tool asks to be offered from the start, not only when it is searched for. */
  readonly alwaysLoad?: boolean;
  /** The server runs calls of it only as tasks. */
  readonly runsAsTask?: boolean;
  /** The longest result the author expects, in characters. */
  readonly maxShown?: number;
}

const MAX_DESCRIPTION_LENGTH = 4_096;
const MAX_RESULT_LENGTH = 500_000;

export function readTool(value: unknown): ToolFacts | { readonly problem: string } {
  if (!isObject(value)) return { problem: "Skipped a tool that is not an object" };
  const { name, title, description, inputSchema, annotations, execution, _meta: meta } = value;
  if (typeof name !== "string" || name === "") return { problem: "Skipped a tool without a name" };
  if (name.length > MAX_TOOL_NAME_LENGTH)
    return { problem: `Skipped the tool "${plainLine(name, 40)}…": its name is too long` };
  if (hasHidden(name)) {
    return { problem: `Skipped the tool "${plainLine(name, 40)}": its name has characters that cannot be shown` };
  }
  const schema = toApiSchema(inputSchema);
  if ("problem" in schema) return { problem: `Skipped the tool "${name}": ${schema.problem}` };
  const hints = isObject(annotations) ? annotations : {};
  const shownAs = typeof title === "string" ? title : hints["title"];
  const size = isObject(meta) ? meta["anthropic/maxResultSizeChars"] : undefined;
  return {
    name,
    ...(typeof shownAs === "string" ? { title: plainLine(shownAs, MAX_TOOL_NAME_LENGTH) } : {}),
    description: typeof description === "string" ? cutPlainText(description, MAX_DESCRIPTION_LENGTH) : "",
    inputSchema: schema.json,
    annotations: {
      ...flag("readOnly", hints["readOnlyHint"]),
      ...flag("destructive", hints["destructiveHint"]),
      ...flag("openWorld", hints["openWorldHint"]),
    },
    ...(isObject(meta) && meta["anthropic/alwaysLoad"] === true ? { alwaysLoad: true } : {}),
    ...(isObject(execution) && execution["taskSupport"] === "required" ? { runsAsTask: true } : {}),
    ...(typeof size === "number" && size > 0 ? { maxShown: Math.min(size, MAX_RESULT_LENGTH) } : {}),
  };
}

const flag = (name: string, value: unknown) => (typeof value === "boolean" ? { [name]: value } : {});
