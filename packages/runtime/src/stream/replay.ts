// Replays a session from its transcript, as the messages clients would have seen.

import { isChainEntry, isJoinedPrompt, isPrompt, project, projectPrompt, type Outbound } from "@keelson/protocol";
import { readEntries } from "@keelson/store/past";

export function* replayOf(path: string | null): Generator<Outbound> {
  if (path === null) return;
  for (const entry of readEntries(path)) {
    if (!isChainEntry(entry)) continue;
    const message = isPrompt(entry) || isJoinedPrompt(entry) ? projectPrompt(entry) : project(entry);
    if (message) yield message;
  }
}
