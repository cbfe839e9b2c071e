// Replays a session from its transcript, as the messages clients would have seen. Branches that the conversation went
// back from are left out.

import { existsSync } from "node:fs";
import { isJoinedPrompt, isPrompt, project, projectPrompt, type Outbound } from "@keelson/protocol";
import { openHistory } from "@keelson/store/history";

/** Of the newest messages, as many as a client that starts anew is shown; older ones are asked for. */
const NEWEST = 200;

export function newestOf(path: string | null): readonly Outbound[] {
  const newest: Outbound[] = [];
  for (const message of replayOf(path)) {
    newest.push(message);
    if (newest.length >= 2 * NEWEST) newest.splice(0, NEWEST);
  }
  return newest.slice(-NEWEST);
}

export function* replayOf(path: string | null): Generator<Outbound> {
  // A session has no file before its first prompt.
  if (path === null || !existsSync(path)) return;
  for (const entry of openHistory(path).entries()) {
    const message = isPrompt(entry) || isJoinedPrompt(entry) ? projectPrompt(entry) : project(entry);
    if (message) yield message;
  }
}
