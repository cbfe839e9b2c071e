// What the server says by itself: that something changed. What is shown is then read again.

import { effect, signal, useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api } from "../connection/api.ts";
import { token } from "../connection/device.ts";
import { ServerLink } from "../connection/link.ts";
import type { Listed, RoutinesServer } from "./wire.ts";

export const facts = signal<RoutinesServer | undefined>(undefined);
export const link = signal<"connecting" | "connected" | "offline">("connecting");
/** Grows with each change. */
const changes = signal(0);

/** Somebody here changed something: the server says so later, or not at all. */
export const changed = () => void changes.value++;

export const mayChange = () => facts.value?.role === "driver";

let socket: ServerLink | undefined;
effect(() => {
  socket?.close();
  facts.value = undefined;
  if (token.value === undefined) return void (socket = undefined);
  const readFacts = async (signal?: AbortSignal) =>
    void (facts.value = (await api<RoutinesServer>("GET", "/v1/server", signal ? { signal } : {})).body);
  void readFacts().catch(() => undefined);
  socket = new ServerLink(() => "./v1/changes/stream", {
    began: () => (link.value = "connected"),
    line: (line) => {
      if ((line as { m?: { type?: unknown } } | undefined)?.m?.type === "changed") changed();
    },
    lost: () => (link.value = navigator.onLine ? "connecting" : "offline"),
    ask: readFacts,
  });
});

/** Other servers of the same database change things, too, and not all of it is told. */
const LOOK_MS = 20_000;
setInterval(() => {
  if (!document.hidden && token.peek() !== undefined) changed();
}, LOOK_MS);

export interface Reading<Value> {
  readonly value: ReadonlySignal<Value | undefined>;
  readonly failure: ReadonlySignal<string | undefined>;
}

/** What the server has at this address, read again after each change. Undefined: nothing yet. */
export function useReading<Value>(path: string | undefined): Reading<Value> {
  return useRead(path, async (signal) => (await api<Value>("GET", path!, { signal })).body);
}

export interface PagesReading<Row> extends Reading<readonly Row[]> {
  readonly hasMore: ReadonlySignal<boolean>;
  more(): void;
}

/** A list in pages: as many of them as were asked for. */
export function usePages<Row>(path: string | undefined): PagesReading<Row> {
  const hasMore = useSignal(false);
  const count = useSignal({ path, pages: 1 });
  const pages = count.value.path === path ? count.value.pages : 1;
  const reading = useRead(path && `${path} ${pages}`, async (signal) => {
    const rows: Row[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < pages; page++) {
      const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const join = path!.includes("?") ? "&" : "?";
      const { body }: { body: Listed<Row> } = await api<Listed<Row>>("GET", `${path}${join}limit=50${after}`, {
        signal,
      });
      rows.push(...body.data);
      cursor = body.next_cursor;
      if (cursor === null) break;
    }
    hasMore.value = cursor !== null;
    return rows as readonly Row[];
  });
  return { ...reading, hasMore, more: () => void (count.value = { path, pages: pages + 1 }) };
}

function useRead<Value>(key: string | undefined, read: (signal: AbortSignal) => Promise<Value>): Reading<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const again = useRef<() => void>(() => undefined);
  const version = changes.value;
  useEffect(() => {
    if (key === undefined) return undefined;
    const stop = new AbortController();
    const current = { isReading: false, isStale: false };
    const start = async () => {
      current.isReading = true;
      try {
        do {
          current.isStale = false;
          const result = await read(stop.signal);
          if (stop.signal.aborted) return;
          value.value = result;
          failure.value = undefined;
        } while (current.isStale);
      } catch (error) {
        if (!stop.signal.aborted) failure.value = error instanceof Error ? error.message : String(error);
      } finally {
        current.isReading = false;
      }
    };
    void start();
    again.current = () => {
      if (current.isReading) current.isStale = true;
      else void start();
    };
    return () => stop.abort();
  }, [key]);
  const first = useRef(version);
  useEffect(() => {
    if (first.current === version) return;
    first.current = version;
    again.current();
  }, [version]);
  return { value, failure };
}
