// What is in the menu of a session.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { readSessions } from "../list/sessions.ts";
import { go } from "../route.ts";
import { api, type ListedSession } from "../connection/api.ts";
import { download, type ExportFormat } from "../connection/download.ts";
import type { LiveSession } from "./live-session.ts";
import type { SheetName } from "./menu.tsx";
import { Failure, useAttempt } from "./sheets/attempt.tsx";

interface MenuItemsProps {
  readonly session: LiveSession;
  open(sheet: SheetName): void;
  close(): void;
}

const FORMATS: readonly (readonly [format: ExportFormat, name: string])[] = [
  ["markdown", "Markdown"],
  ["html", "a web page"],
  ["json", "JSON"],
];

export function MenuItems({ session, open, close }: MenuItemsProps) {
  const attempt = useAttempt();
  const { id } = session;
  const isViewer = session.isViewer.value;
  /** As the server has it now. */
  const listed = useSignal<ListedSession | undefined>(undefined);
  useEffect(() => {
    api<ListedSession>("GET", `/v1/sessions/${id}`).then(
      ({ body }) => (listed.value = body),
      () => undefined,
    );
  }, []);
  const isArchived = listed.value?.archived === true;
  const choose = (name: SheetName) => {
    close();
    open(name);
  };
  const tried = (work: () => Promise<void>) =>
    void attempt.run(async () => {
      await work();
      close();
    });
  const fork = async () => {
    const { body } = await api<{ readonly id: string }>("POST", `/v1/sessions/${id}/fork`, {
      body: {},
      once: crypto.randomUUID(),
    });
    readSessions();
    go(`/s/${body.id}`);
  };
  const archive = async () => {
    await api("PATCH", `/v1/sessions/${id}`, { body: { archived: !isArchived } });
    readSessions();
    if (!isArchived) go("/");
  };
  return (
    <>
      <button onClick={() => choose("changes")}>Changes</button>
      {isViewer ? null : (
        <>
          <button onClick={() => choose("rewind")}>Rewind</button>
          <button onClick={() => choose("rename")}>Rename</button>
          <button onClick={() => tried(fork)}>Fork</button>
        </>
      )}
      {FORMATS.map(([format, name]) => (
        <button key={format} onClick={() => tried(() => download(id, format))}>
          Export as {name}
        </button>
      ))}
      {isViewer || listed.value === undefined ? null : (
        <button onClick={() => tried(archive)}>{isArchived ? "Take out of the archive" : "Archive"}</button>
      )}
      {isViewer || listed.value?.open !== false ? null : <button onClick={() => choose("delete")}>Delete</button>}
      <Failure of={attempt} />
    </>
  );
}
