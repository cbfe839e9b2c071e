// The resource links in a tool result, for clients that show them.

import { isObject } from "@keelson/protocol";
import { plainLine } from "../plain-text.ts";

export interface ResultLink {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
}

const MAX_LINKS = 200;
const MAX_LENGTH = 2_048;

export function resultLinks(content: readonly unknown[]): readonly ResultLink[] {
  return content
    .filter((item) => isObject(item) && item["type"] === "resource_link")
    .slice(0, MAX_LINKS)
    .flatMap((item): ResultLink[] => {
      const { uri, name, title, description, mimeType, size } = item as Record<string, unknown>;
      if (typeof uri !== "string" || typeof name !== "string") return [];
      return [
        {
          uri: plainLine(uri, MAX_LENGTH),
          name: plainLine(name, MAX_LENGTH),
          ...line("title", title),
          ...line("description", description),
          ...line("mimeType", mimeType),
          ...(typeof size === "number" ? { size } : {}),
        },
      ];
    });
}

const line = (field: string, value: unknown) =>
  typeof value === "string" ? { [field]: plainLine(value, MAX_LENGTH) } : {};
