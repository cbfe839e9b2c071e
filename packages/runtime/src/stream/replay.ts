// Replays a session from its transcript, as the messages clients would have seen. Branches that the conversation went
// back from are left out.

import { existsSync } from "node:fs";
import { isJoinedPrompt, isPrompt, project, projectPrompt, type Message } from "@keelson/protocol";
import { openHistory } from "@keelson/store/history";

/** Adds what calls are called. */
type NameCalls = (message: Message) => Message;

/** Of the newest messages, as many as a client that starts anew is shown; older ones are asked for. */
const NEWEST = 200;

export function newestOf(path: string | null, named: NameCalls): readonly Message[] {
  const newest: Message[] = [];
  for (const message of replayOf(path, named)) {
    newest.push(message);
    if (newest.length >= 2 * NEWEST) newest.splice(0, NEWEST);
  }
  return newest.slice(-NEWEST);
}

export function* replayOf(path: string | null, named: NameCalls): Generator<Message> {
  // A session has no file before its first prompt.
  if (path === null || !existsSync(path)) return;
  for (const entry of openHistory(path).entries()) {
    const message = isPrompt(entry) || isJoinedPrompt(entry) ? projectPrompt(entry) : project(entry);
    if (message) yield named(message);
  }
}
