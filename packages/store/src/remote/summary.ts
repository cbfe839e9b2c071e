// Computes what a session list shows, entry by entry, so a store can update it on each append and listing a thousand
// sessions takes one query. Pure.

import { firstPromptIn } from "../past.ts";
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from "./session-store.ts";

/** Fields where the newest entry wins: the entry's field, and ours. */
const NEWEST = [
  ["customTitle", "customTitle"],
  ["aiTitle", "aiTitle"],
  ["lastPrompt", "lastPrompt"],
  ["summary", "summaryHint"],
  ["gitBranch", "gitBranch"],
] as const;

/** Fields where the first entry wins. */
const FIRST = ["cwd", "entrypoint"] as const;

/**
 * The summary after more entries. Call it in `append` with the stored summary, and store the result. `mtime` is the
 * time of the append by the store's own clock; without it, the previous one stays.
 */
export function foldSessionSummary(
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options: { mtime?: number } = {},
): SessionSummaryEntry {
  const data: Record<string, unknown> = { ...previous?.data };
  for (const entry of entries) fold(data, entry);
  return {
    sessionId: previous?.sessionId ?? key.sessionId,
    mtime: options.mtime ?? previous?.mtime ?? 0,
    data,
  };
}

function fold(data: Record<string, unknown>, entry: SessionStoreEntry): void {
  data["isSidechain"] ??= entry["isSidechain"] === true;
  const time = typeof entry.timestamp === "string" ? Date.parse(entry.timestamp) : Number.NaN;
  if (!Number.isNaN(time)) data["createdAt"] ??= time;
  for (const field of FIRST) if (isText(entry[field])) data[field] ??= entry[field];
  for (const [field, name] of NEWEST) if (isText(entry[field])) data[name] = entry[field];
  if (entry.type === "tag") data["tag"] = isText(entry["tag"]) ? entry["tag"] : undefined;
  if (data["tag"] === undefined) delete data["tag"];
  if (entry.type === "user" && data["firstPromptLocked"] !== true) foldFirstPrompt(data, entry);
}

/** A slash command is used until there is a real prompt. */
function foldFirstPrompt(data: Record<string, unknown>, entry: SessionStoreEntry): void {
  const message = entry["message"] ?? null;
  const { isMeta, isCompactSummary } = entry;
  const prompt = firstPromptIn([JSON.stringify({ type: "user", isMeta, isCompactSummary, message })]);
  if (prompt === undefined) return;
  const command = /<command-name>([^<]*)<\/command-name>/.exec(JSON.stringify(message))?.[1]?.trim();
  if (prompt === command) data["firstPrompt"] ??= prompt;
  else Object.assign(data, { firstPrompt: prompt, firstPromptLocked: true });
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
