// Makes a run resumable on any machine: what the program wrote to its transcripts becomes entries of the run, and entries become
// those files again. What is said about the run before it is resumed comes from the same lines.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { blocksOf, isObject, isToolResult, isToolUse, tryParse } from "@keelson/protocol";
import type { RunClaim, WorkerStore } from "../store/run-store.ts";
import type { RunLease } from "./lease.ts";

/** The folder for the transcripts of a run, whatever its checkout is called: see CLAUDE_CODE_PROJECT_DIR_NAME. */
export const TRANSCRIPTS = "run";

/** A line of a transcript, as it is kept. `file` is absent for the conversation itself. */
interface KeptLine {
  readonly file?: string;
  readonly entry: object;
}

/** Lines for the store, from what the program prints with --session-mirror. */
export function keptLines(mirror: {
  readonly filePath: string;
  readonly entries: readonly object[];
}): readonly object[] {
  const inside = mirror.filePath.slice(
    mirror.filePath.lastIndexOf(`/projects/${TRANSCRIPTS}/`) + `/projects/${TRANSCRIPTS}/`.length,
  );
  // SESSION.jsonl is the conversation, SESSION/subagents/… belongs to its agents.
  if (!inside.includes("/")) return mirror.entries;
  return mirror.entries.map((entry) => ({ type: "keelson_file", file: inside, entry }));
}

export interface RestoredRun {
  /** Whether there is a conversation to resume. */
  readonly isStarted: boolean;
  /** What the session knows that it has cost. */
  readonly costUsd: number;
  /** Calls without a result: they may or may not have taken effect. */
  readonly inFlight: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** Of all calls that have a result. */
  readonly answeredCalls: ReadonlySet<string>;
  /** The files as they were after the last of these calls, by the name of the checkout; undefined if they could not be kept. */
  readonly workspaces: ReadonlyMap<string, Buffer | undefined>;
}

/** The files of a checkout, in lines that are not too long. Without a bundle, what was kept before does not count any more. */
export function workspaceLines(
  checkout: string,
  sessionId: string,
  number: number,
  bundle: Buffer | undefined,
): readonly object[] {
  if (bundle === undefined) {
    return [{ type: "keelson_workspace", sessionId, checkout, number, part: 0, parts: 0, data: "" }];
  }
  const data = bundle.toString("base64");
  const parts = Math.max(1, Math.ceil(data.length / PART));
  return Array.from({ length: parts }, (_, part) => ({
    type: "keelson_workspace",
    sessionId,
    checkout,
    number,
    part,
    parts,
    data: data.slice(part * PART, (part + 1) * PART),
  }));
}

const PART = 200_000;

interface WorkspaceLine {
  readonly checkout: string;
  readonly number: number;
  readonly part: number;
  readonly parts: number;
  readonly data: string;
}

/** Puts the parts together; one that was cut off by the end of its worker does not count. */
class Workspaces {
  readonly whole = new Map<string, Buffer | undefined>();
  readonly #open = new Map<string, { readonly number: number; data: string; next: number }>();

  add({ checkout, number, part, parts, data }: WorkspaceLine): void {
    if (parts === 0) {
      this.whole.set(checkout, undefined);
      return;
    }
    let open = this.#open.get(checkout);
    if (part === 0) this.#open.set(checkout, (open = { number, data: "", next: 0 }));
    if (open === undefined || open.number !== number || open.next !== part) return;
    open.data += data;
    open.next++;
    if (open.next === parts) this.whole.set(checkout, Buffer.from(open.data, "base64"));
  }
}

/** Writes the transcripts of a session below a configuration folder. */
export async function restoreRun({
  store,
  lease,
  sessionId,
  config,
}: {
  readonly store: WorkerStore;
  readonly lease: RunLease;
  readonly sessionId: string;
  readonly config: string;
}): Promise<RestoredRun> {
  const files = new Map<string, string[]>();
  const calls = new Map<string, { readonly id: string; readonly name: string; readonly input: unknown }>();
  const answeredCalls = new Set<string>();
  const workspaces = new Workspaces();
  let isStarted = false;
  let costUsd = 0;
  const main = `${sessionId}.jsonl`;
  for await (const line of transcriptLines(store, lease, lease.held)) {
    const kept = readLine(line);
    if (kept === undefined) continue;
    const { file = main, entry } = kept;
    // After a restart, the lines of the conversation before are only history.
    if (file !== main && !file.startsWith(`${sessionId}/`)) continue;
    if (
      (entry as { sessionId?: unknown }).sessionId !== undefined &&
      (entry as { sessionId?: unknown }).sessionId !== sessionId
    )
      continue;
    if ((entry as { type?: unknown }).type === "keelson_workspace") {
      workspaces.add(entry as WorkspaceLine);
      continue;
    }
    const lines = files.get(file) ?? [];
    lines.push(JSON.stringify(entry));
    files.set(file, lines);
    if (file !== main) continue;
    const { type, message } = entry as { readonly type?: unknown; readonly message?: { readonly content?: unknown } };
    // The program begins with the newest one.
    if (type === "cost-state") costUsd = Number((entry as { readonly totalCostUSD?: unknown }).totalCostUSD) || 0;
    if (type !== "user" && type !== "assistant") continue;
    isStarted = true;
    for (const block of blocksOf((message?.content ?? []) as Parameters<typeof blocksOf>[0])) {
      if (isToolUse(block)) calls.set(block.id, { id: block.id, name: block.name, input: block.input });
      if (isToolResult(block)) answeredCalls.add(block.tool_use_id);
    }
  }
  for (const [file, lines] of files) writeTranscript(join(config, "projects", TRANSCRIPTS, file), lines);
  return {
    isStarted,
    costUsd,
    inFlight: [...calls.values()].filter(({ id }) => !answeredCalls.has(id)),
    answeredCalls,
    workspaces: workspaces.whole,
  };
}

async function* transcriptLines(store: WorkerStore, lease: RunLease, held: RunClaim): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    lease.signal.throwIfAborted();
    const { entries } = lease.take(await store.claimedEntries(held, after));
    for (const { kind, line } of entries) if (kind === "transcript") yield line;
    if (entries.length === 0) return;
    after = entries.at(-1)!.seq;
  }
}

function readLine(line: string): KeptLine | undefined {
  const value = tryParse(line);
  if (!isObject(value)) return undefined;
  if (value["type"] !== "keelson_file") return { entry: value };
  const { file, entry } = value as { readonly file?: unknown; readonly entry?: unknown };
  // It becomes a path.
  const isSafe =
    typeof file === "string" && file.split("/").every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part));
  return isSafe && isObject(entry) ? { file, entry } : undefined;
}

function writeTranscript(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sidecar = /\/[^/]+\/.*\.jsonl$/.test(path)
    ? lines.findLast((line) => (tryParse(line) as { type?: unknown }).type === "agent_metadata")
    : undefined;
  const kept = lines.filter((line) => (tryParse(line) as { type?: unknown }).type !== "agent_metadata");
  writeFileSync(path, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  if (sidecar === undefined) return;
  const { type: _, ...facts } = tryParse(sidecar) as Record<string, unknown>;
  writeFileSync(path.replace(/\.jsonl$/, ".meta.json"), JSON.stringify(facts), { mode: 0o600 });
}
