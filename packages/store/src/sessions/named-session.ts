// Finds a session of a project, or of all, by its ID, the start of its ID, or its title as lists show it. Without any of these,
// the most recent one of the project.

import { isSessionId, type SessionLocation } from "../paths.ts";
import { dirsOf, findSession, listStoredSessions, newestSession, type SessionInfo } from "./list.ts";
import { shelfDirs, storedSession, type ShelfOptions } from "./shelf.ts";

export type NamedSession =
  { readonly id: string; readonly path: string } | { readonly message: string; readonly isMissing: boolean };

/** A message for the user if there is no such session, or several. */
export function namedSession(
  place: SessionLocation,
  wanted?: string,
  { allProjects = false }: ShelfOptions = {},
): NamedSession {
  if (wanted === undefined)
    return newestSession(place) ?? { message: "This folder has no sessions yet", isMissing: true };
  const missing = {
    message: `No session${allProjects ? "" : " in this folder"} has the ID or title "${wanted}"`,
    isMissing: true,
  };
  if (isSessionId(wanted) && allProjects) return storedSession(place, wanted) ?? missing;
  if (isSessionId(wanted)) {
    const found = findSession(place, wanted);
    if (found.kind === "found") return found;
  }
  const title = inOneRow(wanted);
  const isPrefix = /^[0-9a-f-]{4,}$/.test(title);
  const startsWith = ({ id }: SessionInfo) => isPrefix && id.toLowerCase().startsWith(title);
  const dirs = new Set([...(allProjects ? [] : dirsOf(place)), ...shelfDirs(place, allProjects)]);
  const matches = [...dirs]
    .flatMap((dir) => listStoredSessions(dir))
    .filter((session) => startsWith(session) || (title !== "" && inOneRow(session.topic) === title));
  const [first] = matches;
  if (first === undefined) return missing;
  // One that was copied to another folder is the one that its ID names.
  if (matches.every(({ id }) => id === first.id)) return storedSession(place, first.id) ?? first;
  const rows = matches.map(({ id, topic }) => `${id}  ${inOneRow(topic, false).slice(0, 60)}`).join("\n");
  const message = matches.every(startsWith)
    ? `Several session IDs start with "${wanted}"; use a longer prefix:\n${rows}`
    : `Several sessions have the ID or title "${wanted}"; use an ID:\n${rows}`;
  return { message, isMissing: false };
}

function inOneRow(text: string, lower = true): string {
  const row = text.replace(/\s+/g, " ").trim();
  return lower ? row.toLowerCase() : row;
}
