// The permission mode that a resumed session begins in.

import type { PermissionMode } from "@keelson/protocol";
import type { LoadedSession } from "@keelson/store/past";
import type { OpenOptions } from "../session/open-options.ts";
import { modeRefusal } from "./mode-refusal.ts";

/** Modes that a session at a terminal comes back in, the strictest first. The others are asked for at each start. */
const RESTORED: readonly (PermissionMode | undefined)[] = ["plan", "default", "acceptEdits", "auto"];

/** The mode that flags and settings say, or at a terminal and without a flag the one that the session was left in. */
export function resumedMode(
  { last, proven, isProven }: LoadedSession["mode"],
  { snapshot, interactive, warn }: Pick<OpenOptions, "snapshot" | "interactive" | "warn">,
): PermissionMode {
  const { mode, flags } = snapshot;
  const isChosen = flags.permissionMode !== undefined || flags.skipPermissions === true;
  if (!interactive || isChosen || last === undefined || !RESTORED.includes(mode)) return mode;
  const isRestored = RESTORED.includes(last);
  if (isProven) return isRestored && modeRefusal(last, snapshot, process.getuid?.()) === undefined ? last : mode;
  // Others can write to the transcript: what they say only makes it stricter.
  const strictest = RESTORED.find((each) => each === mode || each === last || each === proven)!;
  if (isRestored && last !== strictest) {
    const why = "Keelson cannot verify that (another program or an older version may have recorded it)";
    warn(`This session was last in ${last} mode, but ${why}; it continues in ${strictest} mode`);
  }
  return strictest;
}
