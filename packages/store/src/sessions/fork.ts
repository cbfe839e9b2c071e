// Copies a conversation to a new session: same entries and uuids, new id and file. The original is not changed.

import { closeSync, writeSync } from "node:fs";
import { createOwnFile, removeOwnFile } from "@keelson/disk/own-files";
import { isChainEntry, type Entry } from "@keelson/protocol";
import type { Chain } from "../read/chain.ts";
import { lineOf } from "../transcript/line.ts";
import { openRanges } from "../read/lines.ts";
import { parseLine, salvage } from "../read/parse-line.ts";
import { chainIn } from "../read/rewound.ts";
import { scan, type Scanned } from "../read/scan.ts";
import { openProofs, openSealer } from "../transcript/seals.ts";

export interface ForkOptions {
  readonly from: string;
  readonly to: string;
  readonly sessionId: string;
  /** Copies the conversation only up to this entry. */
  readonly at?: string | undefined;
  /** The folder with the secret for proofs. What is proven in the original is proven in the copy. */
  readonly configDir?: string;
}

/** Returns the number of entries. Throws if the file exists or `at` is not in the conversation. */
export function forkTranscript({ from, to, sessionId, at, configDir }: ForkOptions): number {
  const proofs = configDir === undefined ? undefined : openProofs(configDir, from);
  const scanned = scan(from, proofs);
  const { steps } = chainIn(scanned, at);
  if (at !== undefined && steps.length === 0) throw new Error(`The conversation to fork has no entry "${at}"`);
  const fd = createOwnFile(to);
  try {
    const proven: (Uint8Array | string)[] = [];
    const copied = (index: number, line: Uint8Array | string) => {
      if (proofs?.has(scanned.places[index]!.digest)) proven.push(line);
    };
    writeBatches(fd, forkedLines(from, scanned, steps, { sessionId, copied }));
    if (configDir !== undefined) writeBatches(fd, openSealer(configDir).proofOfLines(to, proven));
    closeSync(fd);
  } catch (error) {
    closeSync(fd);
    removeOwnFile(to);
    throw error;
  }
  return steps.length;
}

function* forkedLines(
  from: string,
  { places, links, sticky, costState }: Scanned,
  steps: Chain["steps"],
  { sessionId, copied }: { readonly sessionId: string; copied(index: number, line: Uint8Array | string): void },
): Generator<Uint8Array | string> {
  const source = openRanges(from);
  try {
    for (const { index, parentUuid } of steps) {
      const { offset, length, entry } = places[index]!;
      const bytes = source.read(offset, length);
      const same = links[index]!.parentUuid === parentUuid && entry !== undefined;
      const copy = same ? withSessionId(bytes, entry.sessionId, sessionId) : undefined;
      const line = copy ?? rewritten(bytes, { sessionId, parentUuid });
      copied(index, line);
      yield line;
    }
  } finally {
    source.close();
  }
  for (const entry of [...sticky, ...(costState === undefined ? [] : [costState])])
    yield lineOf({ ...entry, sessionId });
}

/**
 * The same bytes with another session id. Only possible if the id is in the line exactly once: then it is the entry's own
 * id, not one in a tool's output.
 */
function withSessionId(bytes: Buffer, old: unknown, sessionId: string): Uint8Array | undefined {
  if (typeof old !== "string") return undefined;
  const field = Buffer.from(`"sessionId":${JSON.stringify(old)}`);
  const at = bytes.indexOf(field);
  if (at < 0 || bytes.indexOf(field, at + 1) >= 0) return undefined;
  const renamed = Buffer.from(`"sessionId":${JSON.stringify(sessionId)}`);
  const copy = Buffer.concat([bytes.subarray(0, at), renamed, bytes.subarray(at + field.length)]);
  // Take an entry out of a line that starts with an incomplete one.
  return copy[0] === OPEN_BRACE && parsesAlone(bytes) ? copy : undefined;
}

const OPEN_BRACE = 123;
const parsesAlone = (bytes: Buffer) => parseLine(bytes) !== undefined;

function rewritten(bytes: Buffer, changed: { sessionId: string; parentUuid: string | null }): string {
  const entry = parseLine(bytes) ?? salvage(bytes).entry;
  if (!isChainEntry(entry)) throw new Error("The conversation to fork changed while it was read");
  return lineOf({ ...entry, ...changed } as Entry);
}

const BATCH = 1024 * 1024;

function writeBatches(fd: number, lines: Iterable<Uint8Array | string>): void {
  let batch: Uint8Array[] = [];
  let size = 0;
  const flush = () => {
    const bytes = Buffer.concat(batch);
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done);
    batch = [];
    size = 0;
  };
  for (const line of lines) {
    const bytes = typeof line === "string" ? Buffer.from(line) : line;
    batch.push(bytes, NEWLINE);
    size += bytes.length + 1;
    if (size >= BATCH) flush();
  }
  flush();
}

const NEWLINE = Buffer.from("\n");
