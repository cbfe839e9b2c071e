// How many messages a conversation has: prompts, and answers of the model. Results of tools and what the program added do not
// count. Looks at the ends of each line: parsing them all would take many times as long.

import { byteLines } from "../read/lines.ts";

const ROLE = /"message":\{[^{}[]*?"role":"(user|assistant)"/;
const ANSWER = /"message":\{[^{}[]*?"id":"([^"]{1,200})"/;
/** In texts, quotes are escaped. */
const ADDED = /"isMeta":true|"isCompactSummary":true|"isSidechain":true|"type":"tool_result"|"isApiErrorMessage":true/;
const START = 4_096;
const END = 1_024;

/** Undefined if the file cannot be read. */
export function countMessages(path: string): number | undefined {
  let count = 0;
  let newest: string | undefined;
  try {
    for (const { bytes } of byteLines(path)) {
      const start = bytes.toString("latin1", 0, Math.min(bytes.length, START));
      const role = ROLE.exec(start)?.[1];
      if (role === undefined || ADDED.test(start)) continue;
      if (bytes.length > START && ADDED.test(bytes.toString("latin1", Math.max(START, bytes.length - END)))) continue;
      // An answer has a line for each block.
      const id = role === "assistant" ? ANSWER.exec(start)?.[1] : undefined;
      if (id === undefined || id !== newest) count++;
      newest = id;
    }
  } catch {
    return undefined;
  }
  return count;
}
