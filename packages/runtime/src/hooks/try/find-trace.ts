// Finds the hook trace of a session by its ID, the start of its ID, or its title. Without any of these, of the most
// recent session.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { projectDir, type SessionLocation } from "@keelson/store";
import type { HookFiring } from "@keelson/store/hook-trace";
import { findSession, listStoredSessions, newestSession } from "@keelson/store/past";

export type FoundTrace =
  | { readonly ok: true; readonly id: string; readonly path: string; firings(): Iterable<HookFiring> }
  | { readonly ok: false; readonly message: string };

export async function findTrace(place: SessionLocation, wanted?: string): Promise<FoundTrace> {
  const found = wanted === undefined ? newestSession(place) : session(place, wanted);
  if (found === undefined) return { ok: false, message: "This folder has no sessions yet" };
  if ("message" in found) return { ok: false, message: found.message };
  const { hookTracePath, readHookTrace } = await import("@keelson/store/hook-trace");
  const path = hookTracePath(dirname(found.path), found.id);
  if (!existsSync(path)) return { ok: false, message: `No hook ran in session ${found.id}` };
  return { ok: true, id: found.id, path, firings: () => readHookTrace(path) };
}

function session(place: SessionLocation, wanted: string): { id: string; path: string } | { message: string } {
  const found = findSession(place, wanted);
  if (found.kind === "found") return found;
  if (found.kind === "ambiguous") {
    return { message: `Several sessions have the title "${wanted}"; use an ID:\n${found.ids.join("\n")}` };
  }
  const prefix = wanted.toLowerCase();
  const matches = /^[0-9a-f-]{4,}$/.test(prefix)
    ? listStoredSessions(projectDir(place)).filter(({ id }) => id.toLowerCase().startsWith(prefix))
    : [];
  if (matches.length === 1) return matches[0]!;
  if (matches.length === 0) return { message: `No session in this folder has the ID or title "${wanted}"` };
  const ids = matches.map(({ id, title }) => `${id}  ${title.slice(0, 60)}`);
  return { message: `Several session IDs start with "${wanted}"; use a longer prefix:\n${ids.join("\n")}` };
}
