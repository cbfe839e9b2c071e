// The agents that a session ran: what became of each and what it used. Reads little of each file, and skips what is
// damaged.

import { closeSync, fstatSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import type { SessionLocation } from "../paths.ts";
import { openOwnFile } from "@keelson/disk/own-files";
import { isRunning } from "@keelson/disk/process-identity";
import { namedSession } from "../sessions/named-session.ts";
import { agentIds, agentPath, agentsDir, metaPath, readAgentMeta, type AgentMeta } from "./agent-files.ts";

/** `died`: its process is gone and it did not say how it ended. `unknown`: nothing tells which process ran it. */
export type AgentState = "running" | "completed" | "failed" | "stopped" | "died" | "unknown";

export interface AgentRun {
  readonly id: string;
  readonly state: AgentState;
  readonly meta: AgentMeta;
  /** How long it worked so far. */
  readonly durationMs?: number;
  /** The file may not exist yet. */
  readonly transcript: string;
}

export interface AgentRuns {
  readonly session: string;
  /** Where the transcripts are. */
  readonly folder: string;
  /** Oldest first. */
  readonly runs: readonly AgentRun[];
  /** Files that could not be read, in words. */
  readonly problems: readonly string[];
}

/** Of the session with this ID or title; without one, of the most recent session. A message if there is none. */
export function findAgentRuns(
  place: SessionLocation,
  wanted: string | undefined,
  nowMs: number,
): AgentRuns | { readonly message: string } {
  const found = namedSession(place, wanted);
  if ("message" in found) return found;
  const dir = dirname(found.path);
  const folder = agentsDir(dir, found.id);
  const problems: string[] = [];
  const runs = agentIds(folder).flatMap((id) => {
    const transcript = agentPath(dir, found.id, id);
    const meta = readAgentMeta(transcript);
    if (meta) return [runOf(id, transcript, meta, nowMs)];
    problems.push(`${basename(metaPath(transcript))} is missing or damaged; agent ${id} is left out`);
    return [];
  });
  const sorted = runs.toSorted((a, b) => startOf(a).localeCompare(startOf(b)));
  return { session: found.id, folder, runs: sorted, problems };
}

const startOf = ({ meta }: AgentRun) => meta.startedAt ?? "";

function runOf(id: string, transcript: string, meta: AgentMeta, nowMs: number): AgentRun {
  const state = stateOf(meta);
  const whole = meta.turns === undefined ? { ...countsIn(transcript), ...meta } : meta;
  const started = Date.parse(meta.startedAt ?? "");
  const ended = state === "running" ? nowMs : Date.parse(meta.endedAt ?? "");
  const durationMs = state === "running" || meta.durationMs === undefined ? ended - started : meta.durationMs;
  return { id, state, meta: whole, ...(durationMs >= 0 ? { durationMs } : {}), transcript };
}

const ENDED = { completed: "completed", failed: "failed", killed: "stopped" } as const;

function stateOf({ finished, status, pid, procStart }: AgentMeta): AgentState {
  if (finished) return (status && ENDED[status]) ?? "unknown";
  if (pid === undefined) return "unknown";
  return isRunning({ pid, procStart: procStart ?? "" }) ? "running" : "died";
}

/** What a longer transcript says before its last part is not counted. */
const MOST_BYTES = 4 * 1024 * 1024;

/** For an agent of which nothing was counted: another program ran it, or its process ended at once. */
function countsIn(transcript: string): Partial<AgentMeta> {
  const { text, isWhole } = endOf(transcript);
  const lines = text.split("\n").slice(isWhole ? 0 : 1);
  const replies = new Map<unknown, Record<string, unknown>>();
  let toolUses = 0;
  let lastTool: string | undefined;
  for (const line of lines) {
    const entry = line.includes('"assistant"') ? tryParse(line) : undefined;
    const message = isObject(entry) && entry["type"] === "assistant" ? entry["message"] : undefined;
    if (!isObject(message)) continue;
    replies.set(message["id"], message);
    const calls = Array.isArray(message["content"]) ? callsIn(message["content"]) : [];
    toolUses += calls.length;
    lastTool = calls.at(-1) ?? lastTool;
  }
  const last = [...replies.values()].at(-1);
  return {
    turns: replies.size,
    toolUses,
    totalTokens: tokensIn(last?.["usage"]),
    ...(typeof last?.["model"] === "string" ? { model: last["model"] } : {}),
    ...(lastTool === undefined ? {} : { lastTool }),
  };
}

const callsIn = (content: readonly unknown[]) =>
  content.flatMap((block) => (isObject(block) && block["type"] === "tool_use" ? [String(block["name"])] : []));

function tokensIn(usage: unknown): number {
  if (!isObject(usage)) return 0;
  const keys = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  const counts = keys.map((key) => usage[key]).filter((count) => typeof count === "number");
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Empty if the file cannot be read. */
function endOf(path: string): { readonly text: string; readonly isWhole: boolean } {
  let fd: number | undefined;
  try {
    fd = openOwnFile(path);
    const { size } = fstatSync(fd);
    const from = Math.max(0, size - MOST_BYTES);
    const bytes = Buffer.alloc(size - from);
    const count = readSync(fd, bytes, 0, bytes.length, from);
    return { text: bytes.toString("utf8", 0, count), isWhole: from === 0 };
  } catch {
    return { text: "", isWhole: true };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
