// Finds a session of a project by its ID, the start of its ID, or its title. Without any of these, the most recent one.

import { projectDir, type SessionLocation } from "../paths.ts";
import { findSession, listStoredSessions, newestSession } from "./list.ts";

export type NamedSession = { readonly id: string; readonly path: string } | { readonly message: string };

/** A message for the user if there is no such session. */
export function namedSession(place: SessionLocation, wanted?: string): NamedSession {
  if (wanted === undefined) return newestSession(place) ?? { message: "This folder has no sessions yet" };
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
