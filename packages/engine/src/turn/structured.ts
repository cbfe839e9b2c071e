// Structured output: a tool with the caller's schema, and the texts that get the model to use it.

import type { JsonObject } from "@keelson/protocol";
import type * as JsonSchema from "../schema/json-schema.ts";
import { defineTool, type Tool } from "../tool/tool.ts";

export const STRUCTURED_OUTPUT = "StructuredOutput";

export const STRUCTURED_NUDGE =
  "[structured-output-enforce] You MUST call the StructuredOutput tool to finish: pass your answer as its input, matching its schema.";

export function structuredOutputTool(schema: JsonObject): Tool<JsonObject, JsonObject> {
  return defineTool<JsonObject, JsonObject>({
    name: STRUCTURED_OUTPUT,
    description:
      "Returns the final answer in the format the caller requested. Call it exactly once, when the work is done, with the answer as its input.",
    input: { json: schema },
    invalid: (input) => {
      const { validateSchema } = require("../schema/json-schema.ts") as typeof JsonSchema;
      const issues = validateSchema(schema, input);
      if (issues.length === 0) return undefined;
      return `Output does not match required schema: ${issues.map(({ path, message }) => `${path || "root"}: ${message}`).join(", ")}`;
    },
    describe: () => "",
    access: () => ({ kind: "none" }),
    run: async (input) => input,
    show: () => "Structured output provided successfully",
  });
}
