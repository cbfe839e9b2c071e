// What the lists of the team are made of: rows that are read from the server, and buttons that ask once more.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../connection/api.ts";
import { useAttempt, type Attempt } from "../session/sheets/attempt.tsx";
import { age } from "../list/age.ts";

export interface Rows<Row> extends Attempt {
  readonly rows: ReadonlySignal<readonly Row[] | undefined>;
  readonly hasMore: ReadonlySignal<boolean>;
  /** Does something, and reads the list again. */
  change(work: () => Promise<void>): void;
  more(): void;
}

interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

export function useRows<Row>(path: string): Rows<Row> {
  const rows = useSignal<readonly Row[] | undefined>(undefined);
  const next = useSignal<string | null>(null);
  const hasMore = useSignal(false);
  const attempt = useAttempt();
  const read = async (cursor?: string) => {
    const mark = path.includes("?") ? "&" : "?";
    const query = cursor === undefined ? "" : `${mark}cursor=${encodeURIComponent(cursor)}`;
    const { body } = await api<Page<Row>>("GET", path + query);
    rows.value = cursor === undefined ? body.data : [...(rows.peek() ?? []), ...body.data];
    next.value = body.next_cursor;
    hasMore.value = body.next_cursor !== null;
  };
  useEffect(() => void attempt.run(() => read()), [path]);
  return {
    ...attempt,
    rows,
    hasMore,
    change: (work) =>
      void attempt.run(async () => {
        await work();
        await read();
      }),
    more: () => void attempt.run(() => read(next.peek() ?? undefined)),
  };
}

export const More = ({ of }: { readonly of: Rows<unknown> }) =>
  of.hasMore.value ? (
    <p class="buttons">
      <button onClick={of.more}>Older</button>
    </p>
  ) : null;

/** What cannot be taken back is asked about by name. */
export function Confirmed({ label, question, sure, act }: ConfirmedProps) {
  const isAsked = useSignal(false);
  if (!isAsked.value) return <button onClick={() => (isAsked.value = true)}>{label}</button>;
  return (
    <span class="buttons" role="group" aria-label={question}>
      <span>{question}</span>
      <button class="danger" onClick={act}>
        {sure}
      </button>
      <button onClick={() => (isAsked.value = false)}>Keep</button>
    </span>
  );
}

interface ConfirmedProps {
  readonly label: string;
  readonly question: string;
  readonly sure: string;
  act(): void;
}

export const ago = (time: string) => age(Date.parse(time), Date.now());

interface ItemProps {
  readonly title: string;
  readonly facts: readonly (string | false | null)[];
  readonly children?: ComponentChildren;
}

export const Item = ({ title, facts, children }: ItemProps) => (
  <li>
    <span>
      <strong>{title}</strong>
      <span class="dim">{facts.filter(Boolean).join(" · ")}</span>
    </span>
    {children}
  </li>
);
