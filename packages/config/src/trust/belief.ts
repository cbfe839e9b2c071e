// May this file of a folder grant what it grants now? The one answer for settings, servers, skills, agents and plugins.

import { statSync } from "node:fs";
import type { Snapshot } from "../load/snapshot.ts";
import type { FolderGrant } from "./grants.ts";
import { grantsOfText, presentContent, type FolderToRead } from "./present.ts";
import { readRecord, sourceIn, unknownGrants, type TrustedContent } from "./record.ts";
import { fewNames, trustFix, whyHeld, type TrustBasis } from "./trust.ts";

export interface BeliefPlace extends TrustBasis, FolderToRead {
  readonly configDir: string;
  /**
   * The session is under way: commands cannot change the files of its folder, so a person did. Only what was not believed at
   * its start, in these files, still is not.
   */
  readonly heldAtStart?: readonly string[] | undefined;
}

/** The grants of a file that the user has not been asked about. */
export type Belief = (file: string, grants: readonly FolderGrant[]) => readonly FolderGrant[];

export function beliefIn(place: BeliefPlace): Belief {
  const { folder, inherited, main, configDir, heldAtStart } = place;
  let contents: readonly TrustedContent[] | "all" | undefined;
  const believed = () => {
    const own = readRecord(configDir, folder);
    if (own === "none" && !inherited) return "all";
    return [own === "none" ? {} : own, ...(main === undefined ? [] : [contentOfMain(main, place)])];
  };
  return (file, grants) => {
    if (grants.length === 0) return [];
    if (heldAtStart !== undefined && !inherited && !heldAtStart.includes(file)) return [];
    contents ??= believed();
    return contents === "all" ? [] : unknownGrants(contents, sourceIn(folder, file), grants);
  };
}

/** A trusted checkout that no session recorded yet is believed as it is. */
function contentOfMain(main: string, { configDir, home, uid }: BeliefPlace): TrustedContent {
  const record = readRecord(configDir, main);
  return record === "none" ? presentContent({ folder: main, home, uid }) : record;
}

/**
 * Why the file of a skill, a command or an agent may not grant what it grants now; undefined if it may. `base` is the trusted
 * folder whose `.claude` it is in.
 */
export function whyTextHeld(
  file: string,
  base: string,
  { trustBasis, configDir, home, origin: { uid } }: Pick<Snapshot, "trustBasis" | "configDir" | "home" | "origin">,
): string | undefined {
  const basis = base === trustBasis?.folder ? trustBasis : { folder: base, inherited: false };
  // Written while the session is under way, by a person: commands cannot write there.
  if (!basis.inherited && trustBasis && isSince(file, trustBasis.since)) return undefined;
  const place = { ...basis, configDir, home, uid };
  const unknown = beliefIn(place)(file, grantsOfText(file, place));
  if (unknown.length === 0) return undefined;
  const names = [...new Set(unknown.map(({ name }) => name))];
  return `${fewNames(names)} ignored: ${whyHeld({ basis, fix: trustFix(base) })}`;
}

function isSince(file: string, since: number): boolean {
  try {
    return statSync(file).ctimeMs >= since;
  } catch {
    return false;
  }
}
