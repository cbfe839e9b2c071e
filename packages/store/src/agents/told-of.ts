// Which agents the model of a session has heard of, according to its transcript. A transcript may be very large, so it is
// read once, in parts, and never as text.

import { closeSync, readSync } from "node:fs";
import { openOwnFile } from "@keelson/disk/own-files";
import { isAgentId } from "./agent-files.ts";

/** What is before the id: in a notice, in what TaskOutput says, and in what TaskStop says. */
const SIGNS = ["<task-id>", "<task_id>", "stopped task: "].map((sign) => Buffer.from(sign));
const ID_LENGTH = 17;
const OVERLAP = Math.max(...SIGNS.map(({ length }) => length)) + ID_LENGTH;
const CHUNK = 1024 * 1024;

/** The ids of agents whose end was told: by a notice, by TaskOutput, or because the model stopped the agent itself. */
export function agentsToldOf(transcript: string): ReadonlySet<string> {
  const told = new Set<string>();
  const fd = openOwnFile(transcript);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let offset = 0; ; offset += CHUNK - OVERLAP) {
      const bytes = buffer.subarray(0, readSync(fd, buffer, 0, CHUNK, offset));
      for (const sign of SIGNS) for (const id of idsAfter(sign, bytes)) told.add(id);
      if (bytes.length < CHUNK) return told;
    }
  } finally {
    closeSync(fd);
  }
}

function* idsAfter(sign: Buffer, bytes: Buffer): Generator<string> {
  for (let at = bytes.indexOf(sign); at >= 0; at = bytes.indexOf(sign, at)) {
    at += sign.length;
    const id = bytes.toString("latin1", at, at + ID_LENGTH);
    if (isAgentId(id)) yield id;
  }
}
