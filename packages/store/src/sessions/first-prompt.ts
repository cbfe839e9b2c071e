// The first prompt of a conversation, for session lists; entries that the program added itself do not count.

import { isObject, tryParse } from "@keelson/protocol";
import { promptTitle } from "@keelson/protocol/attached";

const COMMAND = /<command-name>([^<]*)<\/command-name>/;
const NOT_A_PROMPT =
  /^\s*(?:<local-command-(?:stdout|stderr|caveat)>|<session-start-hook>|<tick>|<goal>|<ide_opened_file>|<ide_selection>|<bash-(?:input|stdout|stderr)>|\[Request interrupted by user)/;

/** Takes whole lines of a transcript. Returns a slash command only if there is no other prompt. */
export function firstPromptIn(lines: readonly string[]): string | undefined {
  let command: string | undefined;
  for (const line of lines) {
    if (!line.includes('"type":"user"')) continue;
    const entry = tryParse(line);
    if (!isObject(entry) || entry["type"] !== "user" || !isObject(entry["message"])) continue;
    if (entry["isMeta"] === true || entry["isCompactSummary"] === true || entry["isSidechain"] === true) continue;
    for (const text of textsIn(entry["message"]["content"])) {
      if (NOT_A_PROMPT.test(text)) continue;
      const name = COMMAND.exec(text)?.[1];
      if (name !== undefined) command ??= name;
      else {
        const title = promptTitle(text);
        if (title !== "") return title;
      }
    }
  }
  return command === undefined ? undefined : promptTitle(command);
}

function textsIn(content: unknown): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) =>
    isObject(block) && block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : [],
  );
}
