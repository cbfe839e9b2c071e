// Sends what a running session writes to a store, in order and without delaying the session. A store always has a
// prefix of what happened: while it fails, later entries wait for earlier ones. If too much waits, it is read again
// from the transcript file, which the program writes first. It knows nothing about processes; `query()` uses it through
// `openStoreSession` (see the header of open-store-session.ts).

import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { keyOfFile } from "./key.ts";
import { append, StoreTimeout, type Pause } from "./append.ts";
import type { SessionKey, SessionStore, SessionStoreEntry, SessionStoreFlush } from "./session-store.ts";
import { BATCH_BYTES, BATCH_ENTRIES, entriesOfFile, inBatches, sizeOf } from "./transcript-file.ts";

/** What the program prints with `--session-mirror`, after it wrote the same lines to `filePath`. */
export interface TranscriptMirror {
  readonly type: "transcript_mirror";
  readonly filePath: string;
  readonly entries: readonly SessionStoreEntry[];
}

export interface MirrorError {
  readonly key: SessionKey;
  readonly filePath: string;
  readonly error: string;
  /** The mirror is closed: what is missing is only in the file, and `importSessionToStore` sends it. */
  readonly isFinal: boolean;
}

export interface StoreMirrorOptions {
  readonly store: SessionStore;
  readonly flush?: SessionStoreFlush | undefined;
  /** Called when a transcript starts to fail. */
  readonly onError: (error: MirrorError) => void;
  readonly timeoutMs?: number;
  /** How much may wait in memory. */
  readonly maxWaitingBytes?: number;
  readonly wait?: Pause | undefined;
  readonly now?: () => number;
}

export interface StoreMirror {
  /** Takes a frame. Await it before the next: it resolves at once unless memory is full. Never rejects. */
  push(frame: TranscriptMirror): Promise<void>;
  /** Sends what is waiting. Never rejects. */
  flush(): Promise<void>;
  /** Flushes a last time. Returns the transcripts of which the store does not have everything. */
  close(): Promise<readonly MirrorError[]>;
}

/** One transcript on its way to the store. */
interface Lane {
  readonly key: SessionKey;
  readonly filePath: string;
  waiting: SessionStoreEntry[];
  bytes: number;
  /** What is waiting is in the file instead of in memory. */
  isInFile: boolean;
  /** The number of frames seen, so a reader of the file can tell whether more arrived. */
  frames: number;
  firstUuid: string | undefined;
  sentUuid: string | undefined;
  failures: number;
  notBefore: number;
  error: string | undefined;
  isGivenUp: boolean;
}

const MAX_WAITING = 16 * 1024 * 1024;
const TIMEOUT = 60_000;
const BACK_OFF = [200, 800];
const LONGEST_PAUSE = 30_000;

export function openStoreMirror(options: StoreMirrorOptions): StoreMirror {
  const { store, flush: mode = "batched", onError, timeoutMs = TIMEOUT, now = Date.now } = options;
  const { wait = (ms) => sleep(ms), maxWaitingBytes = MAX_WAITING } = options;
  const lanes = new Map<string, Lane>();
  const strays = new Map<string, MirrorError>();
  let rounds: Promise<void> = Promise.resolve();
  let roundsWaiting = 0;

  const all = () => [...lanes.values()];
  const waitingBytes = () => all().reduce((sum, lane) => sum + lane.bytes, 0);
  const waitingEntries = () => all().reduce((sum, lane) => sum + lane.waiting.length, 0);

  /** Runs rounds one after another; a round that has not started yet includes what arrives until it does. */
  function round(kind: "background" | "flush" | "close"): Promise<void> {
    if (kind === "background" && roundsWaiting > 0) return rounds;
    roundsWaiting++;
    rounds = rounds.then(async () => {
      roundsWaiting--;
      for (const lane of all()) {
        if (lane.isGivenUp || (kind === "background" && now() < lane.notBefore)) continue;
        // Retry the first time and the last time; in between, every turn would wait.
        const pauses = lane.failures === 0 || kind === "close" ? BACK_OFF : [];
        // A store that does not answer is tried once per round, not once per transcript.
        if (!(await deliver(lane, pauses))) break;
      }
    });
    return rounds;
  }

  /** False if the store does not answer. */
  async function deliver(lane: Lane, pauses: readonly number[]): Promise<boolean> {
    const send = (entries: SessionStoreEntry[]) => append(store, lane.key, entries, { timeoutMs, pauses, wait });
    try {
      while (lane.isInFile || lane.waiting.length > 0) {
        if (lane.isInFile) await deliverFromFile(lane, send);
        else await deliverWaiting(lane, send);
      }
    } catch (error) {
      lane.error = error instanceof Error ? error.message : String(error);
      lane.failures++;
      lane.notBefore = now() + Math.min(LONGEST_PAUSE, 200 * 2 ** lane.failures);
      if (lane.failures === 1) onError(errorOf(lane, false));
      return !(error instanceof StoreTimeout);
    }
    lane.failures = 0;
    lane.notBefore = 0;
    lane.error = undefined;
    return true;
  }

  /** Frees memory. False if we can only wait. */
  function makeRoom(): boolean {
    const [largest] = all().toSorted((a, b) => b.bytes - a.bytes);
    if (largest === undefined || largest.bytes === 0) return true;
    if (existsSync(largest.filePath)) largest.isInFile = true;
    // The file is on another machine. Entries after a gap would be worse than none, so this transcript is given up.
    else if (largest.failures > 0) largest.isGivenUp = true;
    else return false;
    largest.waiting = [];
    largest.bytes = 0;
    return true;
  }

  return {
    async push({ filePath, entries }) {
      const key = keyOfFile(filePath);
      if (entries.length === 0) return;
      if (key === undefined) {
        const error = `Not the path of a transcript: "${filePath}"`;
        strays.set(filePath, { key: { projectKey: "", sessionId: "" }, filePath, error, isFinal: true });
        return;
      }
      let lane = lanes.get(filePath);
      if (lane === undefined) lanes.set(filePath, (lane = newLane(key, filePath)));
      lane.frames++;
      lane.firstUuid ??= entries.find(({ uuid }) => typeof uuid === "string")?.uuid;
      if (lane.isGivenUp) return;
      if (!lane.isInFile) {
        for (const entry of entries) lane.waiting.push(entry);
        lane.bytes += entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
      }
      const isFull = mode === "eager" || waitingEntries() >= BATCH_ENTRIES || waitingBytes() >= BATCH_BYTES;
      if (isFull) void round("background");
      while (waitingBytes() > maxWaitingBytes && !makeRoom()) await round("background");
    },
    flush: () => round("flush"),
    async close() {
      await round("close");
      const behind = all().filter((lane) => lane.isGivenUp || lane.isInFile || lane.waiting.length > 0);
      return [...behind.map((lane) => errorOf(lane, true)), ...strays.values()];
    },
  };
}

function errorOf({ key, filePath, error = "The store did not answer" }: Lane, isFinal: boolean): MirrorError {
  return { key, filePath, error, isFinal };
}

type Send = (entries: SessionStoreEntry[]) => Promise<void>;

async function deliverWaiting(lane: Lane, send: Send): Promise<void> {
  const { waiting } = lane;
  const [batch] = inBatches(waiting);
  await send(batch!);
  lane.sentUuid = lastUuid(batch!) ?? lane.sentUuid;
  // Memory may have been freed while this was sent; the rest is then read from the file, after this batch.
  if (lane.waiting !== waiting) return;
  lane.waiting = waiting.slice(batch!.length);
  lane.bytes -= batch!.reduce((sum, entry) => sum + sizeOf(entry), 0);
}

async function deliverFromFile(lane: Lane, send: Send): Promise<void> {
  const { frames } = lane;
  for (const batch of inBatches(unsentOf(lane))) {
    await send(batch);
    lane.sentUuid = lastUuid(batch) ?? lane.sentUuid;
  }
  // The program writes before it reports: if no frame arrived, the file had everything that was reported.
  if (lane.frames === frames) lane.isInFile = false;
}

/** The entries in the file after the last one we know was sent; otherwise from the first one that was reported. */
function* unsentOf({ filePath, sentUuid, firstUuid }: Lane): Generator<SessionStoreEntry> {
  const from = sentUuid ?? firstUuid;
  let isReached = from === undefined;
  // Lines without a uuid directly before the first one belong to the same frames.
  let before: SessionStoreEntry[] = [];
  for (const entry of entriesOfFile(filePath)) {
    if (isReached) yield entry;
    else if (entry.uuid === from) {
      isReached = true;
      if (sentUuid === undefined) yield* [...before, entry];
    } else if (entry.uuid === undefined) before.push(entry);
    else before = [];
  }
  if (!isReached) throw new Error(`Entry "${from}" is no longer in "${filePath}"`);
}

const lastUuid = (entries: readonly SessionStoreEntry[]) =>
  entries.findLast(({ uuid }) => typeof uuid === "string")?.uuid;

function newLane(key: SessionKey, filePath: string): Lane {
  return {
    key,
    filePath,
    waiting: [],
    bytes: 0,
    isInFile: false,
    frames: 0,
    firstUuid: undefined,
    sentUuid: undefined,
    failures: 0,
    notBefore: 0,
    error: undefined,
    isGivenUp: false,
  };
}
