// What governs this session, for the gate and for the shield: the same files, known by the names they are given and by
// where those lead. Worked out once for each snapshot.

import type { Snapshot } from "@keelson/config";
import { governingFiles } from "@keelson/config/governing";
import { realPathOf } from "@keelson/host";
import type { SessionInstructions } from "../instructions/instructions.ts";

export interface Governing {
  /** By every name. The whole configuration folder is in it: the gate can ask where the shield can only refuse. */
  forGate(): readonly string[];
  /** As they are called; the shield looks up where they lead. */
  forShield(): readonly string[];
}

export function governingOf(
  snapshot: () => Snapshot,
  instructions: () => Pick<SessionInstructions, "files"> | undefined,
): Governing {
  let known: { snapshot: Snapshot; files: number; own: readonly string[]; all: readonly string[] } | undefined;

  function find() {
    const now = snapshot();
    const steering = (instructions()?.files() ?? []).filter(({ kind }) => kind === "User" || kind === "Managed");
    if (known?.snapshot === now && known.files === steering.length) return known;
    const own = [...new Set([...governingFiles(now), ...steering.map(({ path }) => path)])];
    const all = [now.configDir, ...own].flatMap((path) => [path, realPathOf(path)]);
    return (known = { snapshot: now, files: steering.length, own, all: [...new Set(all)] });
  }

  return { forGate: () => find().all, forShield: () => find().own };
}
