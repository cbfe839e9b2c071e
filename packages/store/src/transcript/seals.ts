// Proofs in a transcript. A `keelson-seal` line names earlier lines by their digest and has a code that only Keelson can make
// (`disk/seal.ts`). What grants something on resume counts only if it is proven; anyone could have written the rest.
// Loaded when the first line is proven, and to resume.

import { basename, dirname } from "node:path";
import { openSeal } from "@keelson/disk/seal";
import type { MetadataEntry } from "@keelson/protocol";
import { lineOf } from "./line.ts";

export interface Sealer {
  /** The line that proves these lines of a transcript; undefined if there is no secret. */
  proofOf(path: string, lines: readonly (string | Uint8Array)[]): string | undefined;
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
  return {
    proofOf(path, lines) {
      const digests = lines.map(digestOf);
      const code = seal.sealText(PURPOSE, claimOf(path, digests));
      if (code === undefined) return undefined;
      const sessionId = basename(path, ".jsonl");
      return lineOf({ type: "keelson-seal", lines: digests, code, sessionId } satisfies MetadataEntry);
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
