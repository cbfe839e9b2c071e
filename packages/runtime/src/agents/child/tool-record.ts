// What a subagent did with tools: what it is doing now, in words for people, and counts for the result of its call.

import { basename } from "node:path";
import type { AgentToolStats } from "@keelson/tools";
import { isObject, type NewEntry, type ToolUseBlock } from "@keelson/protocol";
import { changedLines } from "../../model/cost.ts";

type Kind = "readCount" | "searchCount" | "bashCount" | "editFileCount" | "otherToolCount";

const KINDS: Readonly<Record<string, Kind>> = {
  Read: "readCount",
  Glob: "searchCount",
  Grep: "searchCount",
  Bash: "bashCount",
  Edit: "editFileCount",
  Write: "editFileCount",
  NotebookEdit: "editFileCount",
};

/** By tool: the verb, and the fields of its input that say with what; the first that is set counts. */
const ACTIVITIES: Readonly<Record<string, readonly [verb: string, ...fields: string[]]>> = {
  Bash: ["Running", "description", "command"],
  Read: ["Reading", "file_path"],
  Write: ["Writing", "file_path"],
  Edit: ["Editing", "file_path"],
  NotebookEdit: ["Editing", "notebook_path"],
  Glob: ["Finding", "pattern"],
  Grep: ["Searching for", "pattern"],
  WebSearch: ["Searching for", "query"],
  WebFetch: ["Fetching", "url"],
};

const LONGEST_ACTIVITY = 200;

/** `Reading notes.txt`; undefined if the name of the tool says all there is. */
export function activityOf({ name, input }: ToolUseBlock): string | undefined {
  const [verb, ...fields] = Object.hasOwn(ACTIVITIES, name) ? ACTIVITIES[name]! : [];
  const field = fields.find((each) => typeof input[each] === "string" && input[each] !== "");
  if (verb === undefined || field === undefined) return undefined;
  const subject = field.endsWith("_path") ? basename(String(input[field])) : String(input[field]);
  return `${verb} ${subject.replace(/\s+/g, " ")}`.slice(0, LONGEST_ACTIVITY);
}

export class ToolRecord {
  readonly #counts: Record<Kind, number> = {
    readCount: 0,
    searchCount: 0,
    bashCount: 0,
    editFileCount: 0,
    otherToolCount: 0,
  };
  #added = 0;
  #removed = 0;

  call(name: string): void {
    this.#counts[(Object.hasOwn(KINDS, name) && KINDS[name]) || "otherToolCount"]++;
  }

  result({ toolUseResult }: NewEntry & { type: "user" }): void {
    if (!isObject(toolUseResult)) return;
    const { added, removed } = changedLines(toolUseResult);
    this.#added += added;
    this.#removed += removed;
  }

  get stats(): AgentToolStats {
    return { ...this.#counts, linesAdded: this.#added, linesRemoved: this.#removed };
  }
}
