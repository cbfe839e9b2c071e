// One's own: name, passkeys and devices.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api } from "../connection/api.ts";
import { Failure, useAttempt } from "../session/sheets/attempt.tsx";
import { isOnThisMachine, QrCode, ShownLink } from "../shown-link.tsx";
import { showTitle } from "../transcript/visible.ts";
import { addPasskey } from "./passkeys.ts";
import { ago, Confirmed, Item, useRows } from "./rows.tsx";
import { leave } from "./leave.ts";

interface Me {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly email: string | null;
  readonly is_program: boolean;
}

export function Account() {
  const me = useSignal<Me | undefined>(undefined);
  const attempt = useAttempt();
  useEffect(() => void attempt.run(async () => void (me.value = (await api<Me>("GET", "/v1/me")).body)), []);
  const known = me.value;
  return (
    <section class="page">
      <header class="bar head">
        <h1 class="grow">My account</h1>
        <button onClick={() => void attempt.run(leave)}>Sign out</button>
      </header>
      <Failure of={attempt} />
      {known === undefined ? null : (
        <p>
          {showTitle(known.name)} <span class="dim">{[known.role, known.email].filter(Boolean).join(" · ")}</span>
        </p>
      )}
      {known === undefined ? null : known.is_program ? (
        <p>This browser uses a token of a program. Sign in as a person to have passkeys and devices.</p>
      ) : (
        <>
          <Passkeys />
          <Devices />
        </>
      )}
    </section>
  );
}

interface ListedPasskey {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly used_at: string | null;
}

function Passkeys() {
  const passkeys = useRows<ListedPasskey>("/v1/passkeys");
  const found = passkeys.rows.value;
  return (
    <>
      <h2>Passkeys</h2>
      <Failure of={passkeys} />
      {found?.length === 0 ? (
        <p>You have no passkey yet. Without one, you need a new link each time you sign in.</p>
      ) : null}
      <ul class="devices">
        {found?.map(({ id, name, created_at: made, used_at: used }) => (
          <Item
            key={id}
            title={showTitle(name)}
            facts={[`added ${ago(made)}`, used === null ? "never used" : `used ${ago(used)}`]}
          >
            <Confirmed
              label="Remove"
              question="Remove this passkey?"
              sure="Remove it"
              act={() => passkeys.change(async () => void (await api("DELETE", `/v1/passkeys/${id}`)))}
            />
          </Item>
        ))}
      </ul>
      <p class="buttons">
        <button class="primary" disabled={passkeys.isBusy.value} onClick={() => passkeys.change(addPasskey)}>
          Add a passkey
        </button>
      </p>
    </>
  );
}

interface TeamDevice {
  readonly id: string;
  readonly name: string;
  readonly seen_at: string;
  readonly expires_at: string;
  readonly current: boolean;
}

function Devices() {
  const devices = useRows<TeamDevice>("/v1/devices");
  const link = useSignal<string | undefined>(undefined);
  const pair = async () =>
    void (link.value = (await api<{ link: string }>("POST", "/v1/devices", { body: {} })).body.link);
  return (
    <>
      <h2>Devices</h2>
      <Failure of={devices} />
      <ul class="devices">
        {devices.rows.value?.map(({ id, name, seen_at: seen, current }) => (
          <Item key={id} title={showTitle(name)} facts={[current ? "this device" : `seen ${ago(seen)}`]}>
            <button
              onClick={() =>
                devices.change(async () => (current ? leave() : void (await api("DELETE", `/v1/devices/${id}`))))
              }
            >
              Sign out
            </button>
          </Item>
        ))}
      </ul>
      <p>A link signs another device in as you, once and within two minutes.</p>
      <p class="buttons">
        <button onClick={() => void devices.run(pair)}>Link for another device</button>
      </p>
      {link.value === undefined ? null : <ShownLink link={link.value} />}
      {link.value === undefined || isOnThisMachine ? null : <QrCode text={link.value} />}
    </>
  );
}
