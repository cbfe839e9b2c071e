// The list of sessions. The server sends the newest and then what changes; what is searched for, the archive and older sessions are
// read.

import { batch, effect, signal } from "@preact/signals";
import { isObject } from "@keelson/protocol";
import { api, type ListedSession } from "../connection/api.ts";
import { ServerLink } from "../connection/link.ts";
import { token } from "../connection/device.ts";
import { watch } from "./alerts.ts";

export const search = signal("");
/** Those that were put away are listed, instead of the others. */
export const showsArchived = signal(false);
/** What is listed, newest first. */
export const sessions = signal<readonly ListedSession[] | undefined>(undefined);
export const listFailure = signal<string | undefined>(undefined);
/** There are older ones than those that are listed. */
export const hasOlder = signal(false);
/** There was no time to search all conversations. */
export const isIncomplete = signal(false);

const TYPING_MS = 150;

/** A part of the list: what the server said, and where the rest begins. */
interface Listed {
  readonly rows: Map<string, ListedSession>;
  older: string | null;
}

interface SessionPage {
  readonly data: readonly ListedSession[];
  readonly next_cursor: string | null;
  readonly incomplete?: boolean;
}

type ListMessage =
  | ({ readonly subtype: "list" } & SessionPage)
  | { readonly subtype: "changed"; readonly data: readonly ListedSession[]; readonly removed: readonly string[] };

const empty = (): Listed => ({ rows: new Map(), older: null });
/** All that were not put away. */
let all: Listed | undefined;
/** Instead of them, what was searched for, or the archive. */
let found: Listed | undefined;
let link: ServerLink | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let reading: AbortController | undefined;

const isSearch = () => search.peek().trim() !== "" || showsArchived.peek();

/** What the server does not send by itself, again: something has changed. */
export function readSessions(): void {
  clearTimeout(timer);
  reading?.abort();
  if (token.peek() === undefined || !isSearch()) return;
  void read(undefined);
}

/** More of what is listed. */
export async function readOlder(): Promise<void> {
  const { older } = (isSearch() ? found : all) ?? empty();
  if (older !== null && reading === undefined) await read(older);
}

async function read(cursor: string | undefined): Promise<void> {
  const current = new AbortController();
  reading = current;
  const q = search.peek().trim();
  const query = new URLSearchParams({
    ...(q === "" ? {} : { q }),
    ...(showsArchived.peek() ? { archived: "true" } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  });
  try {
    const { body } = await api<SessionPage>("GET", `/v1/sessions?${query}`, { signal: current.signal });
    if (current.signal.aborted) return;
    listFailure.value = undefined;
    isIncomplete.value = body.incomplete === true;
    const listed = isSearch() ? (cursor === undefined ? (found = empty()) : (found ??= empty())) : (all ??= empty());
    add(body, listed);
    show();
  } catch (error) {
    if (!current.signal.aborted) listFailure.value = messageOf(error);
  } finally {
    if (reading === current) reading = undefined;
  }
}

function add({ data, next_cursor }: SessionPage, to: Listed): void {
  for (const session of data) to.rows.set(session.id, session);
  to.older = next_cursor;
}

function take(message: ListMessage): void {
  if (message.subtype === "list") {
    all = empty();
    add(message, all);
  } else if (all) change(all, message, ({ archived }) => !archived);
  const searched = search.peek().trim() !== "";
  if (message.subtype === "changed" && found)
    change(found, message, ({ id, archived }) =>
      searched ? found!.rows.has(id) && archived === showsArchived.peek() : archived,
    );
  show();
  if (all) watch([...all.rows.values()]);
}

function change(
  { rows }: Listed,
  { data, removed }: { readonly data: readonly ListedSession[]; readonly removed: readonly string[] },
  belongs: (session: ListedSession) => boolean,
): void {
  for (const session of data) {
    if (belongs(session)) rows.set(session.id, session);
    else rows.delete(session.id);
  }
  for (const id of removed) rows.delete(id);
}

function show(): void {
  const listed = isSearch() ? found : all;
  if (listed === undefined) return;
  batch(() => {
    hasOlder.value = listed.older !== null;
    sessions.value = [...listed.rows.values()].sort((a, b) => b.modified_ms - a.modified_ms || (a.id < b.id ? -1 : 1));
  });
}

const isListMessage = (said: unknown): said is ListMessage => isObject(said) && said["type"] === "sessions";

const LISTENER = {
  began: () => void (listFailure.value = undefined),
  line(line: unknown) {
    if (isObject(line) && isListMessage(line["m"])) take(line["m"]);
  },
  lost: () => undefined,
  // Where there are too many streams, the list is read each time.
  async ask(signal: AbortSignal) {
    try {
      const { body } = await api<SessionPage>("GET", "/v1/sessions", { signal });
      take({ subtype: "list", ...body });
      listFailure.value = undefined;
    } catch (error) {
      listFailure.value = messageOf(error);
      throw error;
    }
  },
};

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

// Also while no one looks: the title says how many sessions ask.
effect(() => {
  link?.close();
  link = token.value === undefined ? undefined : new ServerLink(() => "./v1/sessions/stream", LISTENER);
});
let wasArchive = false;
effect(() => {
  void search.value;
  const isArchive = showsArchived.value;
  // Nothing of the other list is shown as a part of this one while it is read.
  if (isArchive !== wasArchive) sessions.value = undefined;
  wasArchive = isArchive;
  found = undefined;
  isIncomplete.value = false;
  clearTimeout(timer);
  reading?.abort();
  if (isSearch()) timer = setTimeout(readSessions, TYPING_MS);
  else show();
});
