// Proofs in a transcript. A `keelson-seal` line names earlier lines by their digest and has a code that only Keelson can make
// (`disk/seal.ts`). What grants something on resume counts only if it is proven; anyone could have written the rest.
// Loaded when the first line is proven, and to resume.

import { basename, dirname } from "node:path";
import { openSeal } from "@keelson/disk/seal";
import type { Entry } from "@keelson/protocol";
import { lineOf } from "./line.ts";

const GRANTS: ReadonlySet<string> = new Set([
  "permission-mode",
  "keelson-schedule",
  "worktree-state",
  "file-history-snapshot",
  "file-history-delta",
  "keelson-file-written",
]);

/** Whether an entry grants something when the session is resumed, such as the user's word or a mode. */
export function isGrant(entry: Entry): boolean {
  if (entry.type === "user") return "permissionMode" in entry || "byUser" in entry;
  return entry.type === "attachment" ? entry.attachment?.type === "queued_command" : GRANTS.has(entry.type);
}

export interface WrittenEntry {
  readonly entry: Entry;
  readonly line: string;
}

export interface Sealer {
  /** The line that proves those of these entries that grant something. None if no entry does, or if there is no secret. */
  proofOf(path: string, written: readonly WrittenEntry[]): readonly string[];
  /** The line that proves all of these. */
  proofOfLines(path: string, lines: readonly (string | Uint8Array)[]): readonly string[];
}

/** What a transcript proves. */
export interface Proofs {
  /** Takes in a `keelson-seal` line. */
  add(value: Readonly<Record<string, unknown>>): void;
  has(digest: string | undefined): boolean;
  /** Of a line without its newline. */
  digestOf(line: Uint8Array): string;
}

export function openSealer(configDir: string, onFailure?: (error: Error) => void): Sealer {
  const seal = openSeal(configDir, onFailure);
  const proofOfLines: Sealer["proofOfLines"] = (path, lines) => {
    if (lines.length === 0) return [];
    const digests = lines.map(digestOf);
    const code = seal.sealText(PURPOSE, claimOf(path, digests));
    const sessionId = basename(path, ".jsonl");
    return code === undefined ? [] : [lineOf({ type: "keelson-seal", lines: digests, code, sessionId })];
  };
  return {
    proofOfLines,
    proofOf(path, written) {
      const granting = written.filter(({ entry }) => isGrant(entry));
      return proofOfLines(
        path,
        granting.map(({ line }) => line),
      );
    },
  };
}

/** What is proven is known when all lines were taken in: a proof follows what it proves. */
export function openProofs(configDir: string, path: string): Proofs {
  const seal = openSeal(configDir);
  const proven = new Set<string>();
  return {
    add({ lines, code }) {
      if (!Array.isArray(lines) || !lines.every((each) => typeof each === "string")) return;
      if (seal.isSealed(PURPOSE, claimOf(path, lines), code)) for (const line of lines) proven.add(line);
    },
    has: (digest) => digest !== undefined && proven.has(digest),
    digestOf,
  };
}

function digestOf(line: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(line).digest("base64url");
}

const PURPOSE = "transcript";

/** A proof holds for one session of one project. The configuration folder may be moved. */
function claimOf(path: string, digests: readonly string[]): string {
  return JSON.stringify([basename(dirname(path)), basename(path), ...digests]);
}
