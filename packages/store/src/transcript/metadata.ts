// Transcript entries beside the conversation: the title, the queue of prompts, the last prompt.

import type { MetadataEntry, ScheduledJob } from "@keelson/protocol";
import { cutText } from "@keelson/protocol/cut-text";

const LONGEST_TITLE = 1_000;
const LONGEST_PROMPT = 2_000;

/** A title as one line of at most 1,000 characters; empty if there is nothing in it. */
export function titleText(title: string): string {
  return cutText(title.replace(/\s+/g, " ").trim(), LONGEST_TITLE).trimEnd();
}

/** A title that the user or a client chose; undefined for an empty one. The last one in the file wins. */
export function customTitle(sessionId: string, title: string): MetadataEntry | undefined {
  const text = titleText(title);
  return text === "" ? undefined : { type: "custom-title", customTitle: text, sessionId };
}

export function lastPrompt(sessionId: string, prompt: string, leafUuid: string | null): MetadataEntry {
  return { type: "last-prompt", lastPrompt: cutText(prompt, LONGEST_PROMPT), leafUuid, sessionId };
}

export function enqueued(sessionId: string, content: string, timestampMs: number): MetadataEntry {
  const timestamp = new Date(timestampMs).toISOString();
  return { type: "queue-operation", operation: "enqueue", timestamp, sessionId, content };
}

export function dequeued(sessionId: string, timestampMs: number): MetadataEntry {
  const timestamp = new Date(timestampMs).toISOString();
  return { type: "queue-operation", operation: "dequeue", timestamp, sessionId };
}

/** A job of the session, so that a resume finds it. */
export function scheduled(sessionId: string, job: ScheduledJob): MetadataEntry {
  return { type: "keelson-schedule", id: job.id, job, sessionId };
}

/** The job fired for the last time, or was cancelled. */
export function unscheduled(sessionId: string, id: string): MetadataEntry {
  return { type: "keelson-schedule", id, sessionId };
}
