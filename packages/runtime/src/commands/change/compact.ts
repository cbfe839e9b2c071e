// /compact: replaces the earlier part of the conversation with a summary. Words after it say what the summary should keep.

import { mayCompact } from "../../compaction/compaction-port.ts";
import type { RunCommand } from "../command.ts";

export const compactCommand: RunCommand = async (args, { compact, targets }) => {
  if (!mayCompact(targets.snapshot())) throw new Error("Compaction is turned off by DISABLE_COMPACT");
  return { text: "Compacted", entries: await compact(args.trim() || undefined) };
};
