// The sessions that a picker lists: before there is a session those of the program, otherwise what the session says.

import type { ListedSession } from "@keelson/protocol";
import type { Requests } from "@keelson/client";

export interface SessionShelf {
  list(options: { readonly allProjects: boolean }): Promise<readonly ListedSession[]>;
  /** Ids of the sessions whose text contains the words, among those with these ids. */
  search(words: string, among: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  /** The last prompts and answers, as Markdown. */
  preview(id: string): Promise<string | undefined>;
  rename(id: string, title: string): Promise<unknown>;
}

/** More than anyone scrolls through, and what a session lists at most. */
const MOST_LISTED = 10_000;

export function shelfOf(requests: Requests): SessionShelf {
  return {
    list: async ({ allProjects }) => {
      const { sessions } = await requests.request("list_sessions", { all_projects: allProjects, limit: MOST_LISTED });
      return sessions;
    },
    search: async (query, among, signal) => {
      const { session_ids: ids } = await requests.request("search_sessions", { query, session_ids: among }, signal);
      return ids;
    },
    preview: async (id) => (await requests.request("preview_session", { session_id: id })).markdown,
    rename: (id, title) => requests.request("rename_session", { session_id: id, title }),
  };
}
