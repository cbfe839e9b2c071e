// Signing in to a server for a team: with a passkey, at a provider, or with a link.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../connection/api.ts";
import { Failure, useAttempt } from "../session/sheets/attempt.tsx";
import { backFromProvider, goToProvider, useCode } from "./arrival.ts";
import { arrivalIn, type Arrival } from "./fragment.ts";
import { signInWithPasskey } from "./passkeys.ts";
import { TokenForm } from "./token-form.tsx";

interface WaysToSignIn {
  readonly passkeys: boolean;
  readonly oidc: { readonly name: string } | null;
  /** Under which passkeys and providers work. */
  readonly address: string;
  /** Nobody can sign in yet. */
  readonly empty: boolean;
}

interface TeamSignInProps {
  readonly arrival: Arrival | undefined;
  /** `isByLink`: they may have no other way to come back. */
  done(isByLink: boolean): void;
}

export function TeamSignIn({ arrival, done }: TeamSignInProps) {
  const ways = useSignal<WaysToSignIn | undefined>(undefined);
  const code = useSignal(arrival?.kind === "code" ? arrival : undefined);
  const remember = useSignal(false);
  const attempt = useAttempt();
  const signIn = (work: () => Promise<void>, isByLink = false) =>
    void attempt.run(async () => {
      await work();
      done(isByLink);
    });
  useEffect(() => {
    void attempt
      .run(async () => void (ways.value = (await api<WaysToSignIn>("GET", "/v1/auth")).body))
      .then(() => {
        if (arrival?.kind === "oidc") signIn(() => backFromProvider(arrival.answer));
      });
  }, []);
  return (
    <main class="sign-in">
      <h1>Keelson</h1>
      <Failure of={attempt} />
      {code.value === undefined ? (
        <>
          {ways.value === undefined ? null : (
            <Ways ways={ways.value} attempt={attempt} signIn={signIn} remember={remember} />
          )}
          <PastedLink found={(found) => (code.value = found)} />
          <details>
            <summary>Use a token</summary>
            <TokenForm remember={remember} />
          </details>
        </>
      ) : (
        <ByLink
          isNew={code.value.isNew}
          isBusy={attempt.isBusy.value}
          use={(name) => {
            const { code: used } = code.value!;
            signIn(async () => {
              try {
                await useCode(used, name, remember.value);
              } catch (error) {
                // It counts once; whether it arrived is known unless the server cannot be reached.
                if ((error as Error).name === "ApiError") code.value = undefined;
                throw error;
              }
            }, true);
          }}
        />
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={remember.value}
          onChange={({ currentTarget }) => (remember.value = currentTarget.checked)}
        />
        Remember this device for 30 days
      </label>
    </main>
  );
}

interface WaysProps {
  readonly ways: WaysToSignIn;
  readonly attempt: ReturnType<typeof useAttempt>;
  readonly remember: { readonly value: boolean };
  signIn(work: () => Promise<void>): void;
}

function Ways({ ways: { passkeys, oidc, address, empty }, attempt, remember, signIn }: WaysProps) {
  const isBusy = attempt.isBusy.value;
  // Passkeys belong to one name, and a provider leads back to one.
  const isElsewhere = new URL(address).origin !== location.origin;
  if (isElsewhere)
    return (
      <p>
        Passkeys work at <a href={`${address}/`}>{address}</a>.
      </p>
    );
  return (
    <>
      {empty ? <p>Nobody can sign in yet. The terminal of the server shows a link for the first admin.</p> : null}
      <p class="buttons">
        {passkeys ? (
          <button class="primary" disabled={isBusy} onClick={() => signIn(() => signInWithPasskey(remember.value))}>
            Sign in with a passkey
          </button>
        ) : null}
        {oidc === null ? null : (
          <button class={passkeys ? "" : "primary"} disabled={isBusy} onClick={() => void attempt.run(goToProvider)}>
            Sign in at {oidc.name}
          </button>
        )}
      </p>
    </>
  );
}

interface ByLinkProps {
  readonly isNew: boolean;
  readonly isBusy: boolean;
  use(name: string): void;
}

function ByLink({ isNew, isBusy, use }: ByLinkProps) {
  const name = useSignal("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        use(name.value.trim());
      }}
    >
      {isNew ? (
        <label class="field">
          Your name
          <input
            type="text"
            required
            maxLength={100}
            autofocus
            autocomplete="name"
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        </label>
      ) : (
        <p>This link signs this browser in, once.</p>
      )}
      <button class="primary" disabled={isBusy}>
        Sign in
      </button>
    </form>
  );
}

function PastedLink({ found }: { found(arrival: Arrival & { kind: "code" }): void }) {
  const pasted = useSignal("");
  const isWrong = useSignal(false);
  return (
    <details>
      <summary>Use a link</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const arrival = arrivalIn(pasted.value);
          isWrong.value = arrival?.kind !== "code";
          if (arrival?.kind === "code") found(arrival);
        }}
      >
        {isWrong.value ? (
          <p class="error" role="alert">
            This is not a link of this server
          </p>
        ) : null}
        <input
          type="text"
          aria-label="Link"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
          value={pasted.value}
          onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
        />
        <button>Continue</button>
      </form>
    </details>
  );
}
