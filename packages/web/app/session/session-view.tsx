// One session: its head, the conversation, what it asks, and the prompt.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import { Back } from "../list/back.tsx";
import { pageTitle } from "../list/alerts.ts";
import { sessions } from "../list/sessions.ts";
import { Questions } from "../questions/questions.tsx";
import { go } from "../route.ts";
import { Transcript } from "../transcript/transcript.tsx";
import { showRow, showTitle } from "../transcript/visible.ts";
import { LiveSession, type LinkState } from "./live-session.ts";
import { Menu, type SheetName } from "./menu.tsx";
import { PromptBox } from "./prompt/prompt-box.tsx";

const Todos = lazy(async () => (await import("./todos.tsx")).Todos);
const Sheet = lazy(async () => (await import("./sheets/sheet.tsx")).Sheet);

export function SessionView({ id }: { readonly id: string }) {
  const cwd = sessions.peek()?.find((session) => session.id === id)?.cwd ?? "";
  const session = useMemo(() => new LiveSession(id, cwd), [id]);
  useEffect(() => {
    session.moved = (moved) => go(`/s/${moved}`);
    return () => session.close();
  }, [session]);
  const sheet = useSignal<SheetName | undefined>(undefined);
  const failure = session.failure.value;
  return (
    <section class="conversation">
      <Head session={session} open={(name) => (sheet.value = name)} />
      {failure === undefined ? (
        <>
          <Transcript session={session} />
          <footer class="foot">
            {session.todos.value.length + session.tasks.value.length === 0 ? null : <Todos session={session} />}
            <Questions session={session} />
            <PromptBox session={session} open={(name) => (sheet.value = name)} />
          </footer>
          {sheet.value === undefined ? null : (
            <Sheet name={sheet.value} session={session} close={() => (sheet.value = undefined)} />
          )}
        </>
      ) : (
        <p class="empty error" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

const LINKS: Readonly<Record<LinkState, string>> = {
  connecting: "Connecting",
  connected: "Connected",
  behind: "Catching up",
  offline: "Offline",
};

interface HeadProps {
  readonly session: LiveSession;
  open(sheet: SheetName): void;
}

function Head({ session, open }: HeadProps) {
  const listed = sessions.value?.find(({ id }) => id === session.id);
  const facts = session.facts.value;
  const isKnown = session.failure.value === undefined;
  const title = isKnown ? showTitle(listed?.title || facts?.title || "New session") : "Session";
  const cwd = facts?.cwd ?? listed?.cwd ?? "";
  const link = session.link.value;
  const others = session.watchers.value.filter(({ id, role }) => role === "driver" && id !== session.self).length;
  useEffect(() => {
    pageTitle.value = `${session.state.value === "running" ? "… " : ""}${title} · Keelson`;
  }, [title, session.state.value]);
  return (
    <header class="bar">
      <Back />
      <span class="heading">
        <h1 title={title}>{title}</h1>
        <span class="facts">
          <span title={showRow(cwd)}>{showRow(cwd.slice(cwd.lastIndexOf("/") + 1))}</span>
          {facts?.git_branch ? <span>{showRow(facts.git_branch)}</span> : null}
          {others > 0 ? <span>{others === 1 ? "1 other is here" : `${others} others are here`}</span> : null}
        </span>
      </span>
      {isKnown ? (
        <>
          <span class={`link ${link}`} role="status">
            {LINKS[link]}
          </span>
          <Menu session={session} open={open} />
        </>
      ) : null}
    </header>
  );
}
