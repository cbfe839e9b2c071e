// A session as JSON, one item on each line. docs/reading-sessions.md describes the shape; `version` changes if it does.

import type { DocumentWriter } from "./document.ts";

export function jsonWriter(): DocumentWriter {
  let isFirst = true;
  let agents = 0;
  const next = (text: string) => {
    const before = isFirst ? "\n" : ",\n";
    isFirst = false;
    return before + text;
  };
  return {
    begin: (session) => `{"format":"keelson-session","version":1,\n"session":${asciiJson(session)},\n"items":[`,
    item: (item) => next(asciiJson(item.kind === "result" ? { ...item, output: undefined } : item)),
    agent(agent) {
      isFirst = true;
      const before = agents++ === 0 ? '],\n"agents":[' : "]},";
      return `${before}\n${asciiJson(agent).slice(0, -1)},"items":[`;
    },
    end: (losses) => `${agents === 0 ? '],\n"agents":[]' : "]}]"},\n${asciiJson(losses).slice(1, -1)}}\n`,
  };
}

/** Without characters that a terminal would act on: JSON allows to spell them out. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
