// What `keelson acp`, `keelson web` and `keelson mcp serve` share: they open sessions for someone at the other end of a
// connection, who cannot be asked about a folder first.

import { load, type Flags, type Snapshot } from "@keelson/config";
import type { Arguments } from "../args/args.ts";
import type { Debug } from "../open.ts";
import { loadOptions, type ProcessIO } from "../process/process-io.ts";

/** Flags of the program that apply to every session. */
export const SERVED_FLAGS = [
  "model",
  "fallback-model",
  "effort",
  "permission-mode",
  "allowedTools",
  "disallowedTools",
  "append-system-prompt",
  "settings",
  "setting-sources",
  "mcp-config",
  "strict-mcp-config",
  "safe-mode",
  "debug",
  "debug-file",
  "help",
];

/**
 * A folder that is not trusted may only deny and ask: no one can be asked about it before the session opens. Rules that the
 * user accepts in a session apply to the next one, too.
 */
export function servedSnapshot(io: ProcessIO, flags: Flags): Snapshot {
  return load({ ...loadOptions(io, { ...flags, requireTrust: "except accepted" }), trustFromAbove: true, quick: true });
}

/** As a command of another Keelson, it keeps its state in a folder of its own. */
export async function withOwnState(io: ProcessIO): Promise<ProcessIO> {
  const state = io.env["KEELSON_STATE_DIR"];
  return state ? (await import("../process/nested-state.ts")).withNestedState(io, state) : io;
}

export async function servedDebug(given: Arguments, io: ProcessIO): Promise<Debug | undefined> {
  const file = given.text("debug-file");
  if (!given.has("debug") && file === undefined) return undefined;
  const { openDebug } = await import("../debug.ts");
  return openDebug({ filter: given.text("debug"), file }, io);
}
