// Removes a session for good: its transcript, everything its subagents wrote, and its copies of files.

import { rmSync, unlinkSync } from "node:fs";
import { basename } from "node:path";
import { removeFileHistory } from "../checkpoints/prune.ts";
import { ownerPath } from "../paths.ts";

export function removeSession(transcript: string, configDir: string): void {
  unlinkSync(transcript);
  rmSync(ownerPath(transcript), { force: true });
  rmSync(transcript.replace(/\.jsonl$/, ""), { recursive: true, force: true });
  removeFileHistory(configDir, basename(transcript, ".jsonl"));
}
