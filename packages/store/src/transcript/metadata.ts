// The lines beside the chain that we write ourselves: titles, queue operations, the last prompt.

import type { MetadataEntry } from "@keelson/protocol";

const LONGEST_TITLE = 1_000;
const LONGEST_PROMPT = 2_000;

/** A name somebody chose; undefined when there is nothing in it. The last one in the file wins. */
export function customTitle(sessionId: string, title: string): MetadataEntry | undefined {
  const text = oneLine(title, LONGEST_TITLE);
  return text === "" ? undefined : { type: "custom-title", customTitle: text, sessionId };
}

export function agentName(sessionId: string, name: string): MetadataEntry {
  return { type: "agent-name", agentName: oneLine(name, LONGEST_TITLE), sessionId };
}

/** An empty tag clears the one before. */
export function tag(sessionId: string, text: string): MetadataEntry {
  return { type: "tag", tag: oneLine(text, LONGEST_TITLE), sessionId };
}

export function lastPrompt(sessionId: string, prompt: string, leafUuid: string | null): MetadataEntry {
  return { type: "last-prompt", lastPrompt: oneLine(prompt, LONGEST_PROMPT), leafUuid, sessionId };
}

export function enqueued(sessionId: string, content: string, timestamp: string): MetadataEntry {
  return { type: "queue-operation", operation: "enqueue", timestamp, sessionId, content };
}

export function dequeued(sessionId: string, timestamp: string): MetadataEntry {
  return { type: "queue-operation", operation: "dequeue", timestamp, sessionId };
}

function oneLine(text: string, limit: number): string {
  const start = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
  return start.replace(/\s+/g, " ").trim();
}
