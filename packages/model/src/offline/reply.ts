// The next reply: runs the request again with the results so far, up to the first call that has not been made yet.

import type { ModelMessage } from "@keelson/protocol";
import { clausesOf } from "./clauses.ts";
import { readConversation } from "./conversation.ts";
import type { OfflineCall } from "./doing.ts";
import { parseClause } from "./parse.ts";
import { perform } from "./steps.ts";
import { abilities, leftUndone, missing, noSchema, seen, unclear } from "./texts.ts";

export interface OfflineReply {
  readonly text: string;
  readonly calls: readonly OfflineCall[];
}

/** Pure: the same conversation and tools always give the same reply. */
export function replyTo(messages: readonly ModelMessage[], tools: ReadonlySet<string>): OfflineReply {
  const { prompt, command, ran, results, earlier } = readConversation(messages);
  if (prompt.includes("<summary>")) return { text: recap(earlier), calls: [] };
  if (tools.has("StructuredOutput")) return { text: noSchema(), calls: [] };
  if (ran !== undefined) return { text: seen(ran), calls: [] };
  const clauses = clausesOf(prompt);
  const [first] = clauses;
  if (first === undefined) return { text: abilities(), calls: [] };
  // Its text is nothing that the user typed.
  if (command !== undefined && parseClause(first).kind === "unclear") return { text: unclear(command), calls: [] };

  let used = 0;
  // Collected for the end: a client that prints only the last message should see the answer to every step.
  const said: string[] = [];
  for (const [at, clause] of clauses.entries()) {
    const doing = perform(parseClause(clause), tools);
    const rest = clauses.slice(at + 1).map(({ source }) => source);
    for (let next = doing.next(); ;) {
      if (next.done) {
        said.push(next.value.text);
        if (!next.value.stop) break;
        return { text: [...said, ...(rest.length > 0 ? [leftUndone(rest)] : [])].join("\n\n"), calls: [] };
      }
      const calls = next.value;
      const absent = calls.find(({ name }) => !tools.has(name));
      if (absent) return { text: [...said, missing(absent.name)].join("\n\n"), calls: [] };
      const answers = results.slice(used, used + calls.length);
      if (answers.length < calls.length) return { text: "", calls };
      used += calls.length;
      next = doing.next(answers);
    }
  }
  return { text: said.join("\n\n"), calls: [] };
}

/** For compaction: the prompts in order. Anything more would need a language model. */
function recap(prompts: readonly string[]): string {
  const asked = prompts.slice(-50).map((prompt, at) => `${at + 1}. ${prompt.slice(0, 300)}`);
  return `<summary>\nThe user asked, in this order:\n${asked.join("\n") || "(nothing yet)"}\n</summary>`;
}
