// Removes a session for good: its transcript, and everything its subagents wrote.

import { rmSync, unlinkSync } from "node:fs";
import { ownerPath } from "../paths.ts";

export function removeSession(transcript: string): void {
  unlinkSync(transcript);
  rmSync(ownerPath(transcript), { force: true });
  rmSync(transcript.replace(/\.jsonl$/, ""), { recursive: true, force: true });
}
