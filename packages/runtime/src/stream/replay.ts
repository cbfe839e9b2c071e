// Replays a session from its transcript, as the messages clients would have seen. Branches that the conversation went
// back from are left out.

import { existsSync } from "node:fs";
import { isJoinedPrompt, isPrompt, project, projectPrompt, type Message } from "@keelson/protocol";
import { openHistory } from "@keelson/store/history";

/** `named`: adds what calls are called. */
export function* replayOf(path: string | null, named: (message: Message) => Message): Generator<Message> {
  // A session has no file before its first prompt.
  if (path === null || !existsSync(path)) return;
  for (const entry of openHistory(path).entries()) {
    const message = isPrompt(entry) || isJoinedPrompt(entry) ? projectPrompt(entry) : project(entry);
    if (message) yield named(message);
  }
}
