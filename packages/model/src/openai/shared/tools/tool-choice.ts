// Which tool the model must call, in the words of both APIs. They differ only in how they name one.

import type { JsonObject } from "@keelson/protocol";

export function openaiToolChoice(
  choice: JsonObject | undefined,
  named: (name: string) => JsonObject,
): JsonObject | string | undefined {
  switch (choice?.["type"]) {
    case "auto":
      return "auto";
    case "any":
      return "required";
    case "none":
      return "none";
    case "tool":
      return named(String(choice["name"]));
    default:
      return undefined;
  }
}
