// The webhooks of a routine: addresses that others call, or to which GitHub delivers events. Token and secret are shown once.

import { useSignal } from "@preact/signals";
import { api } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { Frame } from "../../session/sheets/frame.tsx";
import { showRow } from "../../transcript/visible.ts";
import { changed, usePages } from "../live.ts";
import { Moment } from "../moment.tsx";
import { Unread } from "../parts.tsx";
import type { ShownRoutine, ShownWebhook } from "../wire.ts";
import { WebhookForm } from "./webhook-form.tsx";

/** What is shown once. */
export interface Handed {
  readonly kind: "http" | "github";
  readonly url: string;
  readonly fireUrl: string;
  readonly token?: string;
  readonly secret: string;
}

type Opened =
  | { readonly is: "form"; readonly kind: "http" | "github"; readonly webhook?: ShownWebhook }
  | { readonly is: "handed"; readonly handed: Handed }
  | { readonly is: "remove" | "rotate"; readonly webhook: ShownWebhook };

export function Webhooks({ routine }: { readonly routine: ShownRoutine }) {
  const webhooks = usePages<ShownWebhook>(`/v1/code/triggers/${routine.id}/webhooks`);
  const opened = useSignal<Opened | undefined>(undefined);
  const open = (next: Opened) => (opened.value = next);
  const close = () => (opened.value = undefined);
  return (
    <>
      <h2>Webhooks</h2>
      <Unread of={webhooks} />
      <ul class="rows">
        {webhooks.value.value?.map((webhook) => (
          <Row key={webhook.id} webhook={webhook} mayChange={routine.may_change} open={open} />
        ))}
      </ul>
      {routine.may_change ? (
        <p class="buttons">
          <button onClick={() => open({ is: "form", kind: "http" })}>Let others start it by HTTP</button>
          <button onClick={() => open({ is: "form", kind: "github" })}>Start it by events on GitHub</button>
        </p>
      ) : null}
      {opened.value === undefined ? null : (
        <Opening
          key={opened.value.is}
          routine={routine.id}
          opened={opened.value}
          close={close}
          handOut={(handed) => open({ is: "handed", handed })}
        />
      )}
    </>
  );
}

interface OpeningProps {
  readonly routine: string;
  readonly opened: Opened;
  close(): void;
  handOut(handed: Handed): void;
}

function Opening({ routine, opened, close, handOut }: OpeningProps) {
  switch (opened.is) {
    case "form":
      return (
        <Frame title={opened.kind === "http" ? "HTTP" : "Events on GitHub"} close={close}>
          <WebhookForm routine={routine} {...opened} done={close} handOut={handOut} />
        </Frame>
      );
    case "handed":
      return (
        <Frame title="Shown only now" close={close}>
          <HandedOut handed={opened.handed} close={close} />
        </Frame>
      );
    case "remove":
      return (
        <Frame title="Remove the webhook" close={close}>
          <Remove webhook={opened.webhook} close={close} />
        </Frame>
      );
    case "rotate":
      return (
        <Frame title="Replace token and secret" close={close}>
          <Rotate webhook={opened.webhook} close={close} handOut={handOut} />
        </Frame>
      );
  }
}

interface RowProps {
  readonly webhook: ShownWebhook;
  readonly mayChange: boolean;
  open(next: Opened): void;
}

function Row({ webhook, mayChange, open }: RowProps) {
  const { id, kind, events, filters, expires_at: expires, hourly_cap: cap } = webhook;
  return (
    <li class="row">
      <span class="title">{kind === "http" ? "HTTP" : "GitHub"}</span>
      <span class="facts">
        {kind === "github" ? <span>{showRow(events.join(", "))}</span> : null}
        {filters.length === 0 ? null : <span>{filters.length === 1 ? "1 filter" : `${filters.length} filters`}</span>}
        <span>at most {cap} an hour</span>
        {expires === null ? null : (
          <span>
            until <Moment at={expires} />
          </span>
        )}
      </span>
      <span class="reason mono">{showRow(webhook.url)}</span>
      {filters.map((filter, at) => (
        <span key={at} class="reason mono">
          {showRow(`${filter.field} ${filter.op} ${JSON.stringify(filter.value)}`)}
        </span>
      ))}
      <span class="buttons reason">
        <a class="button" href={`#/deliveries/${id}`}>
          Deliveries
        </a>
        {mayChange ? (
          <>
            <button onClick={() => open({ is: "form", kind, webhook })}>Change</button>
            <button onClick={() => open({ is: "rotate", webhook })}>Replace the secret</button>
            <button onClick={() => open({ is: "remove", webhook })}>Remove</button>
          </>
        ) : null}
      </span>
    </li>
  );
}

interface HandedProps {
  readonly handed: Handed;
  close(): void;
}

function HandedOut({ handed: { kind, url, fireUrl, token, secret }, close }: HandedProps) {
  return (
    <>
      <p>Keep these now. The server has only what it needs to check them, and cannot show them again.</p>
      <Value name={kind === "github" ? "Payload URL" : "Address"} text={url} />
      {token === undefined ? null : <Value name="Token" text={token} />}
      <Value name="Secret" text={secret} />
      {token === undefined ? (
        <p class="why">On GitHub, choose the content type application/json, and the events that this webhook is for.</p>
      ) : (
        <>
          <p>A call that starts a run:</p>
          <pre class="command" tabIndex={0}>
            {`curl -X POST ${fireUrl} \\\n  -H "Authorization: Bearer ${token}" \\\n  -d '{"text": "What this run is about"}'`}
          </pre>
        </>
      )}
      <p class="buttons">
        <button class="primary" onClick={close}>
          I have kept them
        </button>
      </p>
    </>
  );
}

function Value({ name, text }: { readonly name: string; readonly text: string }) {
  const isCopied = useSignal(false);
  // Undefined where the page has no TLS.
  const copy = () => void navigator.clipboard?.writeText(text).then(() => (isCopied.value = true));
  return (
    <div class="handed">
      <span class="dim">{name}</span>
      <code class="mono" data-value={name}>
        {text}
      </code>
      <button onClick={copy} aria-label={`Copy: ${name}`}>
        {isCopied.value ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

interface WebhookProps {
  readonly webhook: ShownWebhook;
  close(): void;
}

function Remove({ webhook: { id }, close }: WebhookProps) {
  const attempt = useAttempt();
  const remove = async () => {
    await api("DELETE", `/v1/triggers/${id}`);
    changed();
    close();
  };
  return (
    <>
      <p>Whoever calls its address is refused from then on.</p>
      <Failure of={attempt} />
      <p class="buttons">
        <button disabled={attempt.isBusy.value} onClick={() => void attempt.run(remove)}>
          Remove it
        </button>
        <button autoFocus onClick={close}>
          Keep it
        </button>
      </p>
    </>
  );
}

interface RotateProps extends WebhookProps {
  handOut(handed: Handed): void;
}

function Rotate({ webhook, close, handOut }: RotateProps) {
  const attempt = useAttempt();
  const rotate = async () => {
    const { body } = await api<{ token?: string; secret: string }>("POST", `/v1/triggers/${webhook.id}/rotate`, {
      body: {},
    });
    handOut({ kind: webhook.kind, url: webhook.url, fireUrl: webhook.fire_url ?? webhook.url, ...body });
  };
  return (
    <>
      <p>The ones that callers have now are refused at once.</p>
      <Failure of={attempt} />
      <p class="buttons">
        <button disabled={attempt.isBusy.value} onClick={() => void attempt.run(rotate)}>
          Replace them
        </button>
        <button autoFocus onClick={close}>
          Keep them
        </button>
      </p>
    </>
  );
}
