// The files that govern this session (settings, hooks, instructions), for the gate and the shield. Computed once per
// snapshot.

import { statSync } from "node:fs";
import { sep } from "node:path";
import type { Snapshot } from "@keelson/config";
import { folderToAvoid, governingFiles, namedPrograms } from "@keelson/config/governing";
import { realPathOf } from "@keelson/disk/real-path";
import { pathOutside } from "@keelson/host";
import { createPrograms, keelsonProgram, type Programs } from "@keelson/host/programs";
import type { SessionInstructions } from "../instructions/instructions.ts";

export interface Governing {
  /** As named and with links resolved. Includes the whole configuration folder: the gate can ask, the shield cannot. */
  forGate(): readonly string[];
  /** As named; the shield resolves links itself. */
  forShield(): readonly string[];
  /** What runs outside the shield. */
  readonly programs: Programs;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export function governingOf(
  snapshot: () => Snapshot,
  instructions: () => Pick<SessionInstructions, "files" | "memory"> | undefined,
): Governing {
  let configured: Snapshot | undefined;
  let known: { snapshot: Snapshot; files: number; own: readonly string[]; all?: readonly string[] } | undefined;
  const programs = createPrograms(snapshot().childEnv["PATH"]);
  /** Memory that the settings moved to another place. Tools write there, so the gate decides about it by itself. */
  const memory = () => {
    const folder = instructions()?.memory;
    return folder === undefined || `${snapshot().cwd}${sep}`.startsWith(`${folder}${sep}`) ? [] : [folder];
  };

  /** Whoever runs one needs to know them all: what an earlier session planted must not be found by the first hook. */
  function lookedUp() {
    const now = snapshot();
    if (configured === now) return programs;
    const named = namedPrograms(now);
    const servers = named.servers.map(({ command, path = named.path, outside }) => ({
      command,
      path: outside === undefined ? path : pathOutside(path, outside),
    }));
    // The user's own hooks do not run programs of a folder that is not trusted.
    const avoided = folderToAvoid(now, "user");
    const path = avoided === undefined ? named.path : pathOutside(named.path, avoided);
    const own = named.programs.flatMap(({ command }) => [{ command }, { command, path }]);
    programs.configure({ ...named, programs: [...keelsonProgram(named.path), ...own, ...servers] });
    configured = now;
    return programs;
  }

  function find() {
    lookedUp();
    const now = snapshot();
    const steering = (instructions()?.files() ?? []).filter(({ kind }) => kind === "User" || kind === "Managed");
    if (known?.snapshot === now && known.files === steering.length) return known;
    const own = [...new Set([...governingFiles(now), ...steering.map(({ path }) => path)])];
    return (known = { snapshot: now, files: steering.length, own });
  }

  function forGate(): readonly string[] {
    const found = find();
    if (found.all) return found.all;
    // A link to a folder is for the shield: the gate would protect all that is in the folder.
    const guarded = programs.guarded().filter((each) => !isFolder(each));
    const all = [found.snapshot.configDir, ...found.own, ...guarded].flatMap((each) => [each, realPathOf(each)]);
    return (found.all = [...new Set(all)]);
  }

  return {
    forGate,
    forShield: () => [...find().own, ...memory()],
    get programs() {
      return lookedUp();
    },
  };
}
