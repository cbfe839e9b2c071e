// May this file of a folder grant what it grants now? The one answer for settings, servers, skills, agents and plugins.

import { statSync } from "node:fs";
import { join } from "node:path";
import type { HookEvent, Settings } from "@keelson/protocol";
import { printable } from "../check/page.ts";
import type { Snapshot } from "../load/snapshot.ts";
import { isAccepted } from "../scopes/accepted.ts";
import type { Scope } from "../scopes/scopes.ts";
import { jobGrants, settingsGrants, withoutGrants, type FolderGrant } from "./grants.ts";
import type * as Present from "./present.ts";
import type { FolderToRead } from "./present.ts";
import { readTrustRecord, sourceIn, unknownGrants, type TrustedContent } from "./record.ts";
import { trustFix, type Trust, type TrustBasis } from "./trust.ts";

export interface BeliefPlace extends TrustBasis, FolderToRead, Pick<Trust, "accepted" | "fix"> {
  readonly configDir: string;
  /**
   * The session is under way: commands cannot change the files of its folder, so a person did. Only what was not believed at
   * its start, in these files, still is not.
   */
  readonly heldAtStart?: readonly string[] | undefined;
}

/** The grants of a file that the user has not been asked about. */
export type Belief = (file: string, grants: readonly FolderGrant[]) => readonly FolderGrant[];

export function beliefIn(place: Omit<BeliefPlace, "accepted" | "fix">): Belief {
  const { folder, inherited, main, configDir, heldAtStart } = place;
  let contents: readonly TrustedContent[] | "all" | undefined;
  const believed = () => {
    const own = readTrustRecord(configDir, folder);
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
function contentOfMain(
  main: string,
  { configDir, home, uid }: Pick<BeliefPlace, "configDir" | "home" | "uid">,
): TrustedContent {
  const record = readTrustRecord(configDir, main);
  return record === "none" ? present().presentContent({ folder: main, home, uid }) : record;
}

/** Loaded late: most folders have settings and servers only. */
const present = () => require("./present.ts") as typeof Present;

/** What a file of a folder would grant, if the user were asked about it. */
export interface Held {
  /** The folder to trust. */
  readonly folder: string;
  readonly file: string;
  /** What it is, for people. */
  readonly names: readonly string[];
  /** One clause, with the fix. */
  readonly why: string;
  /** The handlers of hooks among it. */
  readonly handlers?: readonly unknown[];
}

export function whyHeld({ inherited, fix }: Pick<BeliefPlace, "inherited" | "fix">): string {
  const why = inherited ? "you have not been asked about these settings" : "this changed after you trusted the folder";
  return `${why}; to accept it as it is now, ${fix}`;
}

/** Takes from the files of the folder what they may not grant. */
export function askedScopes(
  scopes: readonly Scope[],
  place: BeliefPlace,
  warn: (text: string) => void,
): { readonly scopes: readonly Scope[]; readonly held: Held[] } {
  const { folder } = place;
  const belief = beliefIn(place);
  const held: Held[] = [];
  const asked = scopes.map((scope): Scope => {
    const { file, source, settings } = scope;
    if (file === undefined || (source !== "projectSettings" && source !== "localSettings")) return scope;
    // In the home folder, this is the user's own file.
    if (file === join(place.configDir, "settings.json")) return scope;
    const accepted = ({ path, item }: FolderGrant) =>
      source === "localSettings" && typeof item === "string" && isAccepted(path.join("."), item, place.accepted);
    const unknown = belief(file, settingsGrants(settings, place)).filter((grant) => !accepted(grant));
    if (unknown.length === 0) return scope;
    const names = [...new Set(unknown.map(({ name }) => name))];
    held.push({ folder, file, names, why: whyHeld(place), handlers: handlersIn(settings, unknown) });
    warn(`${file}: ${heldText(held.at(-1)!)}`);
    return { ...scope, settings: withoutGrants(settings, unknown) };
  });
  return { scopes: asked, held };
}

function handlersIn({ hooks = {} }: Settings, grants: readonly FolderGrant[]): readonly unknown[] {
  return grants.flatMap(({ path: [key, event], item }) => {
    const groups = key === "hooks" ? (hooks[event as HookEvent] ?? []) : [];
    return groups.filter((group) => Bun.deepEquals(group, item)).flatMap((group) => group.hooks);
  });
}

const MOST_NAMES = 8;

/** For a warning: what is ignored, and why. */
export function heldText({ names, why }: Pick<Held, "names" | "why">): string {
  const more = names.length - MOST_NAMES;
  const shown = [...names.slice(0, MOST_NAMES), ...(more > 0 ? [`${more} more`] : [])].map(printable);
  return `${shown.join(", ")} ignored: ${why}`;
}

/**
 * Why the file of a skill, a command or an agent may not grant what it grants now; undefined if it may. `base` is the trusted
 * folder whose `.claude` it is in.
 */
export function whyTextHeld(
  file: string,
  base: string,
  { trustBasis, configDir, home, origin: { uid } }: HeldQuestion,
): string | undefined {
  const isNew = isSince(file, trustBasis?.since ?? performance.timeOrigin);
  const isOwn = base === trustBasis?.folder;
  // Written while the session is under way, by a person: commands cannot write there. To other folders they can.
  if (isOwn && !trustBasis.inherited && isNew) return undefined;
  const basis = isOwn ? trustBasis : { folder: base, inherited: isNew };
  const place = { ...basis, configDir, home, uid };
  const unknown = beliefIn(place)(file, present().grantsOfText(file, place));
  if (unknown.length === 0) return undefined;
  const names = [...new Set(unknown.map(({ name }) => name))];
  return heldText({ names, why: whyHeld({ ...basis, fix: trustFix(base) }) });
}

/** The ids of the jobs in the folder's schedule file that do not fire, each with the reason. */
export function heldJobs(jobs: readonly object[], file: string, snapshot: HeldQuestion): ReadonlyMap<string, string> {
  const { trustBasis, configDir, home, origin } = snapshot;
  if (trustBasis === undefined) return new Map();
  const unknown = beliefIn({ ...trustBasis, configDir, home, uid: origin.uid })(file, jobGrants(jobs));
  const why = whyHeld({ ...trustBasis, fix: trustFix(trustBasis.folder) });
  return new Map(unknown.map(({ path: [, id] }) => [id!, why]));
}

type HeldQuestion = Pick<Snapshot, "trustBasis" | "configDir" | "home" | "origin">;

/** Whether the file was changed at this time or later. */
export function isSince(file: string, since: number): boolean {
  try {
    return statSync(file).ctimeMs >= since;
  } catch {
    return false;
  }
}
