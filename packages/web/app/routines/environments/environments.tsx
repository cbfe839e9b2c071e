// Where runs take place: hosts, variables, the setup script, and the names of secrets. Only admins change them.

import { useSignal } from "@preact/signals";
import { api } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { Frame } from "../../session/sheets/frame.tsx";
import { showRow, showTitle } from "../../transcript/visible.ts";
import { changed, facts, usePages } from "../live.ts";
import { Moment } from "../moment.tsx";
import { Head, More, Unread } from "../parts.tsx";
import type { ShownEnvironment, ShownSecret } from "../wire.ts";
import { EnvironmentForm } from "./environment-form.tsx";

type Opened =
  | { readonly is: "environment"; readonly environment?: ShownEnvironment }
  | { readonly is: "secret"; readonly name?: string }
  | { readonly is: "remove"; readonly path: string; readonly title: string };

export function Environments() {
  const environments = usePages<ShownEnvironment>("/v1/environments");
  const secrets = usePages<ShownSecret>("/v1/secrets");
  const opened = useSignal<Opened | undefined>(undefined);
  const isAdmin = facts.value?.admin === true;
  const close = () => (opened.value = undefined);
  const open = (next: Opened) => (opened.value = next);
  return (
    <section class="page wide">
      <Head title="Environments">
        {isAdmin ? (
          <button class="primary" onClick={() => open({ is: "environment" })}>
            New
          </button>
        ) : null}
      </Head>
      {isAdmin ? null : <p class="dim">Only admins change environments and secrets.</p>}
      <Unread of={environments} />
      {environments.value.value?.length === 0 ? (
        <p class="empty">There is none: runs reach no hosts but the model's.</p>
      ) : null}
      <ul class="rows">
        {environments.value.value?.map((environment) => (
          <li key={environment.id} class="row">
            <span class="title">{showTitle(environment.name)}</span>
            <span class="facts">
              <span>{counted(environment.network.length, "host")}</span>
              <span>{counted(Object.keys(environment.variables).length, "variable")}</span>
              {environment.setup_script === null ? null : <span>setup script</span>}
            </span>
            {environment.network.length === 0 ? null : (
              <span class="reason mono">{showRow(environment.network.join(" "))}</span>
            )}
            {environment.secrets.length === 0 ? null : (
              <span class="reason">Secrets: {showRow(environment.secrets.join(", "))}</span>
            )}
            {isAdmin ? (
              <span class="buttons reason">
                <button onClick={() => open({ is: "environment", environment })}>Change</button>
                <button
                  onClick={() =>
                    open({ is: "remove", path: `/v1/environments/${environment.id}`, title: environment.name })
                  }
                >
                  Remove
                </button>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <More of={environments} />
      <h2>Secrets</h2>
      <p class="dim">Their values are never shown. A run gets those that its environment names.</p>
      <Unread of={secrets} />
      <ul class="rows">
        {secrets.value.value?.map(({ name, updated_at: at }) => (
          <li key={name} class="row">
            <span class="title mono">{showRow(name)}</span>
            <span class="facts">
              <span>
                written <Moment at={at} />
              </span>
            </span>
            {isAdmin ? (
              <span class="buttons reason">
                <button onClick={() => open({ is: "secret", name })}>Replace</button>
                <button onClick={() => open({ is: "remove", path: `/v1/secrets/${name}`, title: name })}>Remove</button>
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <More of={secrets} />
      {isAdmin ? (
        <p class="buttons">
          <button onClick={() => open({ is: "secret" })}>Add a secret</button>
        </p>
      ) : null}
      {opened.value === undefined ? null : <Opening opened={opened.value} close={close} />}
    </section>
  );
}

const counted = (count: number, what: string) => (count === 1 ? `1 ${what}` : `${count} ${what}s`);

function Opening({ opened, close }: { readonly opened: Opened; close(): void }) {
  switch (opened.is) {
    case "environment":
      return (
        <Frame title={opened.environment === undefined ? "New environment" : "Environment"} close={close}>
          <EnvironmentForm environment={opened.environment} done={close} />
        </Frame>
      );
    case "secret":
      return (
        <Frame title={opened.name === undefined ? "New secret" : `Replace ${opened.name}`} close={close}>
          <SecretForm name={opened.name} done={close} />
        </Frame>
      );
    case "remove":
      return (
        <Frame title="Remove it" close={close}>
          <Remove {...opened} done={close} />
        </Frame>
      );
  }
}

function SecretForm({ name: given, done }: { readonly name: string | undefined; done(): void }) {
  const name = useSignal(given ?? "");
  const value = useSignal("");
  const attempt = useAttempt();
  const save = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      await api("POST", "/v1/secrets", { body: { name: name.value.trim(), value: value.value } });
      changed();
      done();
    });
  };
  return (
    <form onSubmit={save}>
      {given === undefined ? (
        <label class="field">
          Name, as a variable of commands
          <input
            class="mono"
            autocomplete="off"
            spellcheck={false}
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
          />
        </label>
      ) : null}
      <label class="field">
        Value
        <input
          type="password"
          class="mono"
          autocomplete="off"
          value={value.value}
          onInput={({ currentTarget }) => (value.value = currentTarget.value)}
        />
      </label>
      <Failure of={attempt} />
      <button class="primary" disabled={attempt.isBusy.value || value.value === ""}>
        Keep it
      </button>
    </form>
  );
}

interface RemoveProps {
  readonly path: string;
  readonly title: string;
  done(): void;
}

function Remove({ path, title, done }: RemoveProps) {
  const attempt = useAttempt();
  const remove = async () => {
    await api("DELETE", path as `/v1/${string}`);
    changed();
    done();
  };
  return (
    <>
      <p>
        <strong>{showTitle(title)}</strong> is removed. Runs that begin later do without it.
      </p>
      <Failure of={attempt} />
      <p class="buttons">
        <button disabled={attempt.isBusy.value} onClick={() => void attempt.run(remove)}>
          Remove it
        </button>
        <button autoFocus onClick={done}>
          Keep it
        </button>
      </p>
    </>
  );
}
