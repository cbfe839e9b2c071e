// The trace of one session, by its ID, the beginning of it, or its title; without any of these, of the last session.

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { loadHookTrace, projectDir, type HookFiring, type SessionLocation } from "@keelson/store";
import { findSession, listStoredSessions, newestSession } from "@keelson/store/past";

export type FoundTrace =
  | { readonly ok: true; readonly id: string; readonly path: string; firings(): Iterable<HookFiring> }
  | { readonly ok: false; readonly message: string };

export async function findTrace(place: SessionLocation, wanted?: string): Promise<FoundTrace> {
  const found = wanted === undefined ? newestSession(place) : session(place, wanted);
  if (found === undefined) return { ok: false, message: "There is no session of this folder yet" };
  if ("message" in found) return { ok: false, message: found.message };
  const { hookTracePath, readHookTrace } = await loadHookTrace();
  const path = hookTracePath(dirname(found.path), found.id);
  if (!existsSync(path)) return { ok: false, message: `No hook ran in session ${found.id}` };
  return { ok: true, id: found.id, path, firings: () => readHookTrace(path) };
}

function session(place: SessionLocation, wanted: string): { id: string; path: string } | { message: string } {
  const found = findSession(place, wanted);
  if (found.kind === "found") return found;
  if (found.kind === "ambiguous") {
    return { message: `Several sessions are called "${wanted}"; name one by its ID:\n${found.ids.join("\n")}` };
  }
  const beginning = wanted.toLowerCase();
  const alike = /^[0-9a-f-]{4,}$/.test(beginning)
    ? listStoredSessions(projectDir(place)).filter(({ id }) => id.toLowerCase().startsWith(beginning))
    : [];
  if (alike.length === 1) return alike[0]!;
  if (alike.length === 0) return { message: `No session of this folder has the ID or the title "${wanted}"` };
  const ids = alike.map(({ id, title }) => `${id}  ${title.slice(0, 60)}`);
  return { message: `Several sessions begin with "${wanted}"; give more of the ID:\n${ids.join("\n")}` };
}
