// Signing this browser in with a link, opened or pasted. It is asked first whether to stay signed in.

import { useSignal } from "@preact/signals";
import { api, UnreachableError } from "./connection/api.ts";
import { deviceName, signedIn } from "./connection/device.ts";
import { codeIn, go } from "./route.ts";

interface SignInProps {
  readonly code: string | undefined;
  done(): void;
}

export function SignIn({ code, done }: SignInProps) {
  const failure = useSignal<string | undefined>(undefined);
  /** The code of the address can be tried, or tried again. */
  const isUsable = useSignal(code !== undefined);
  const isBusy = useSignal(false);
  const remember = useSignal(false);
  const pasted = useSignal("");
  const isLinked = code !== undefined && isUsable.value;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    const used = isLinked ? code : codeIn(pasted.value);
    if (used === undefined) {
      failure.value = "This is not a link that the server printed";
      return;
    }
    isBusy.value = true;
    try {
      const body = { code: used, name: deviceName(), remember: remember.value };
      const reply = await api<{ readonly token: string; readonly session?: string }>("POST", "/v1/auth/code", { body });
      signedIn(reply.body.token, remember.value);
      go(reply.body.session === undefined ? "/" : `/s/${reply.body.session}`);
      done();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
      isBusy.value = false;
      if (error instanceof UnreachableError) return;
      isUsable.value = false;
      pasted.value = "";
    }
  };
  return (
    <main class="sign-in">
      <h1>Keelson</h1>
      {failure.value === undefined ? null : (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      <form onSubmit={submit}>
        {isLinked ? (
          <p>This link signs this browser in. From then on it may do everything that you may do at the terminal.</p>
        ) : (
          <>
            <p>
              Paste the link that the server printed. For another one, press Enter at its terminal, or start it:{" "}
              <code>keelson web</code>
            </p>
            <input
              type="text"
              name="link"
              aria-label="Link"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              autofocus
              required
              value={pasted.value}
              onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
            />
            <p>From then on this browser may do everything that you may do at the terminal.</p>
          </>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={remember.value}
            onChange={({ currentTarget }) => (remember.value = currentTarget.checked)}
          />
          Remember this device for 30 days
        </label>
        <button class="primary" disabled={isBusy.value}>
          Sign in
        </button>
      </form>
    </main>
  );
}
