// All sessions, newest first, with what each is doing.

import { signal, useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { ListedSession } from "../connection/api.ts";
import { route } from "../route.ts";
import { showRow, showTitle } from "../transcript/visible.ts";
import { age } from "./age.ts";
import { hasOlder, isIncomplete, listFailure, readOlder, search, sessions, showsArchived } from "./sessions.ts";

export function SessionList() {
  const found = sessions.value;
  const isArchive = showsArchived.value;
  return (
    <>
      <header class="bar">
        <a class="brand" href="#/">
          Keelson
        </a>
        <a class="quiet" href="#/devices">
          Devices
        </a>
        <a class="button primary" href="#/new">
          New
        </a>
      </header>
      <input
        class="search"
        type="search"
        placeholder="Search"
        aria-label="Search sessions"
        value={search.value}
        onInput={({ currentTarget }) => (search.value = currentTarget.value)}
      />
      {listFailure.value === undefined ? null : (
        <p class="error" role="status">
          {listFailure.value}
        </p>
      )}
      {found?.length === 0 ? (
        <p class="empty">
          {search.value !== "" ? "Nothing found." : isArchive ? "Nothing was put away." : "There are no sessions yet."}
        </p>
      ) : null}
      {isArchive ? <h2 class="archive">Archive</h2> : null}
      <ul class="sessions">
        {found?.map((session) => (
          <Row key={session.id} session={session} />
        ))}
      </ul>
      {isIncomplete.value ? <p class="empty">There was no time to search all conversations.</p> : null}
      {hasOlder.value ? <Older count={found?.length ?? 0} /> : null}
      {found === undefined && !isArchive ? null : (
        <button class="quiet archive" onClick={() => (showsArchived.value = !isArchive)}>
          {isArchive ? "Back to all sessions" : "Archived sessions"}
        </button>
      )}
    </>
  );
}

/** They are read when someone scrolls there. */
function Older({ count }: { readonly count: number }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const seen = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void readOlder();
      },
      { rootMargin: AHEAD },
    );
    if (button.current) seen.observe(button.current);
    return () => seen.disconnect();
  }, [count]);
  return (
    <button class="quiet archive" ref={button} onClick={() => void readOlder()}>
      Older sessions
    </button>
  );
}

const AHEAD = "600px";

const STATES = {
  idle: undefined,
  elsewhere: "open in another program",
  running: "working",
  requires_action: "needs you",
} as const;

function Row({ session }: { readonly session: ListedSession }) {
  const { id, title, cwd = "", worktree, modified_ms: modified, state } = session;
  const at = route.value;
  const isHere = at.view === "session" && at.id === id;
  const folder = worktree ?? cwd.slice(cwd.lastIndexOf("/") + 1);
  return (
    <li>
      <a class="session" href={`#/s/${id}`} aria-current={isHere ? "page" : undefined}>
        <span class={`dot ${state}`} aria-hidden="true" />
        <span class="title">{showTitle(title) || "New session"}</span>
        <span class="facts">
          <span title={showRow(cwd)}>{showRow(folder)}</span>
          <span class={state === "requires_action" ? "accent" : undefined}>
            {STATES[state] ?? <Age key={modified} at={modified} />}
          </span>
        </span>
      </a>
    </li>
  );
}

/** As time goes by, only the text changes. */
const Age = ({ at }: { readonly at: number }) => <>{useComputed(() => age(at, clock.value))}</>;

const clock = signal(Date.now());
const TICK_MS = 10_000;
const tick = () => {
  if (!document.hidden) clock.value = Date.now();
};
setInterval(tick, TICK_MS);
document.addEventListener("visibilitychange", tick);
