// Tokens of programs: one's own, and for admins all of them.

import { useSignal } from "@preact/signals";
import { api } from "../connection/api.ts";
import { Failure } from "../session/sheets/attempt.tsx";
import { facts } from "../routines/live.ts";
import { ShownLink } from "../shown-link.tsx";
import { showTitle } from "../transcript/visible.ts";
import { ago, Confirmed, Item, useRows } from "./rows.tsx";

interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly user_id: string | null;
  readonly scope: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly used_at: string | null;
}

const DAYS = [7, 30, 90, 365] as const;

export const ONLY_PEOPLE = "This browser uses a token of a program, which cannot change this. Sign in as a person.";

export function Tokens() {
  const tokens = useRows<ListedToken>("/v1/tokens");
  const made = useSignal<string | undefined>(undefined);
  const name = useSignal("");
  const chosen = useSignal<string | undefined>(undefined);
  const isProgram = facts.value?.program === true;
  const scopes = facts.value?.token_scopes ?? [];
  // The one that programs usually need, if one may make it.
  const scope = chosen.value ?? (scopes.includes("write") ? "write" : scopes[0]);
  const days = useSignal("90");
  const make = (event: Event) => {
    event.preventDefault();
    tokens.change(async () => {
      const valid = days.value === "" ? null : Number(days.value);
      const body = { name: name.value.trim(), scope, days: valid };
      made.value = (await api<{ token: string }>("POST", "/v1/tokens", { body })).body.token;
      name.value = "";
    });
  };
  return (
    <section class="page">
      <header class="bar head">
        <h1>Tokens</h1>
      </header>
      <p>A program sends its token as a header. It may do what its scope says, and never more than you may.</p>
      <Failure of={tokens} />
      <ul class="devices">
        {tokens.rows.value?.map(({ id, name: called, user_id: user, scope: may, expires_at: until, used_at: used }) => (
          <Item
            key={id}
            title={showTitle(called)}
            facts={[
              may,
              user === null && "of the server",
              used === null ? "never used" : `used ${ago(used)}`,
              until !== null && `until ${until.slice(0, 10)}`,
            ]}
          >
            {isProgram ? null : (
              <Confirmed
                label="Revoke"
                question="Revoke this token?"
                sure="Revoke it"
                act={() => tokens.change(async () => void (await api("DELETE", `/v1/tokens/${id}`)))}
              />
            )}
          </Item>
        ))}
      </ul>
      {isProgram ? (
        <p class="dim">{ONLY_PEOPLE}</p>
      ) : (
        <form onSubmit={make}>
          <h2>New token</h2>
          <p class="buttons">
            <input
              type="text"
              aria-label="Name"
              placeholder="What it is for"
              required
              maxLength={100}
              value={name.value}
              onInput={({ currentTarget }) => (name.value = currentTarget.value)}
            />
            <select
              aria-label="Scope"
              value={scope}
              onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
            >
              {scopes.map((each) => (
                <option key={each} selected={each === scope}>
                  {each}
                </option>
              ))}
            </select>
            <select
              aria-label="Valid for"
              value={days.value}
              onChange={({ currentTarget }) => (days.value = currentTarget.value)}
            >
              {DAYS.map((each) => (
                <option key={each} value={each} selected={String(each) === days.value}>
                  {each} days
                </option>
              ))}
              <option value="">until it is revoked</option>
            </select>
            <button class="primary">Make</button>
          </p>
        </form>
      )}
      {made.value === undefined ? null : (
        <>
          <p role="status">This is the token. It is not shown again.</p>
          <ShownLink link={made.value} />
        </>
      )}
    </section>
  );
}
