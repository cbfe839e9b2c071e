// Another title for a session.

import { useSignal } from "@preact/signals";
import { api } from "../../connection/api.ts";
import { readSessions, sessions } from "../../list/sessions.ts";
import type { SheetProps } from "./sheet.tsx";
import { Failure, useAttempt } from "./attempt.tsx";

export function Rename({ session: { id, facts }, close }: SheetProps) {
  const before = sessions.peek()?.find((session) => session.id === id)?.title || facts.peek()?.title || "";
  const title = useSignal(before);
  const attempt = useAttempt();
  const save = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      await api("PATCH", `/v1/sessions/${id}`, { body: { title: title.value.trim() } });
      readSessions();
      close();
    });
  };
  return (
    <form onSubmit={save}>
      <label class="field">
        Title
        <input
          maxLength={200}
          autoFocus
          value={title.value}
          onInput={({ currentTarget }) => (title.value = currentTarget.value)}
        />
      </label>
      <Failure of={attempt} />
      <button class="primary" disabled={attempt.isBusy.value || title.value.trim() === ""}>
        Rename
      </button>
    </form>
  );
}
