// Deletes a session for good, when it was asked a second time.

import { api } from "../../connection/api.ts";
import { readSessions } from "../../list/sessions.ts";
import { go } from "../../route.ts";
import { Failure, useAttempt } from "./attempt.tsx";
import type { SheetProps } from "./sheet.tsx";

export function Delete({ session: { id }, close }: SheetProps) {
  const attempt = useAttempt();
  const remove = async () => {
    await api("DELETE", `/v1/sessions/${id}`);
    close();
    readSessions();
    go("/");
  };
  return (
    <>
      <p>The transcript is deleted for good. The files that the session has changed stay as they are.</p>
      <Failure of={attempt} />
      <p class="buttons">
        <button disabled={attempt.isBusy.value} onClick={() => void attempt.run(remove)}>
          Delete it
        </button>
        <button autoFocus onClick={close}>
          Keep it
        </button>
      </p>
    </>
  );
}
