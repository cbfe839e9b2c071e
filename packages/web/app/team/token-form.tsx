// Signing in with the token of a program, as the command line makes them.

import { useSignal } from "@preact/signals";
import { signedIn } from "../connection/device.ts";
import { Failure, useAttempt } from "../session/sheets/attempt.tsx";

export function TokenForm({ remember }: { readonly remember: { readonly value: boolean } }) {
  const typed = useSignal("");
  const attempt = useAttempt();
  const submit = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      const given = typed.value.trim();
      // As the server makes them; anything else is a slip, and is not sent.
      if (!/^[\w-]{43}$/.test(given)) throw new Error("This is not a token that the server printed");
      await check(given);
      signedIn(given, remember.value);
    });
  };
  return (
    <>
      <Failure of={attempt} />
      <form onSubmit={submit}>
        <p>
          Paste a token. At the terminal of the server, this makes one: <code>keelson serve token NAME</code>
        </p>
        <input
          type="password"
          name="token"
          aria-label="Token"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          autofocus
          required
          value={typed.value}
          onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
        />
        <button class="primary" disabled={attempt.isBusy.value}>
          Sign in
        </button>
      </form>
    </>
  );
}

/** Whether the server takes it, without showing anything yet. */
async function check(given: string): Promise<void> {
  const { ok, status } = await fetch("./v1/server", {
    credentials: "omit",
    cache: "no-store",
    headers: { Authorization: `Bearer ${given}` },
  }).catch(() => ({ ok: false, status: 0 }));
  if (ok) return;
  if (status === 0) throw new Error("The server cannot be reached; is it running, and is this device online?");
  throw new Error(
    status === 401 ? "The server does not know this token, or it has ended" : `The server answered ${status}`,
  );
}
