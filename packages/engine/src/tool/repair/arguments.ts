// Arguments of a call that are not JSON, or JSON of something else than an object, for mistakes that leave no doubt about
// what was meant: a code fence, a token of the model's own format at the end, a comma too many, a line break inside a
// string, JSON in a string, an object in a list. Pure. What ends too early is never completed: the rest of a file may be
// missing.

import { isObject, tryParse } from "@keelson/protocol";

/** The object that the text means; undefined if that is not certain. */
export function argumentsMeant(text: string): Record<string, unknown> | undefined {
  const bare = text
    .trim()
    .replace(/^```(?:json)?\s*\n([\s\S]*?)\n?```$/, "$1")
    .replace(/(?:\s*<\|[\w-]+\|>)+$/, "")
    .replace(/\s*<\/(?:tool_call|function|arguments)>$/, "")
    .trim();
  if (bare === "" || bare === "null" || bare === "undefined") return {};
  return objectIn(tryParse(bare) ?? tryParse(tidied(bare)));
}

function objectIn(value: unknown): Record<string, unknown> | undefined {
  if (typeof value === "string") {
    const inner = tryParse(value.trim());
    return isObject(inner) ? inner : undefined;
  }
  if (Array.isArray(value)) return value.length === 1 && isObject(value[0]) ? value[0] : undefined;
  return isObject(value) ? value : undefined;
}

const CONTROL: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Without commas before a closing bracket, and with line breaks and tabs inside strings escaped. */
function tidied(text: string): string {
  let tidy = "";
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (inString && letter === "\\") {
      tidy += letter + (text[++at] ?? "");
      continue;
    }
    if (letter === '"') inString = !inString;
    if (inString) tidy += CONTROL[letter] ?? letter;
    else if (letter !== "," || !/^\s*[}\]]/.test(text.slice(at + 1, at + 200))) tidy += letter;
  }
  return tidy;
}
