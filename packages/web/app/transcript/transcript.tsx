// The conversation. It stays at its end while it is there, and is drawn in sections that cost nothing out of sight.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ItemCell } from "../session/items.ts";
import type { LiveSession } from "../session/live-session.ts";
import { Item } from "./item.tsx";
import { memo } from "./memo.ts";

const IN_SECTION = 40;
/** So near the beginning, older messages are read. */
const OLDER_PX = 600;
/** At most this far from the end is at the end. */
const NEAR_PX = 48;

/** A session, or what else is shown as one. */
export type ShownConversation = Pick<
  LiveSession,
  "items" | "link" | "state" | "older" | "isReadingOlder" | "readOlder"
>;

export function Transcript({ session }: { readonly session: ShownConversation }) {
  const box = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = useRef({ top: 0, whole: 0, seen: 0 });
  const showsJump = useSignal(false);
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  useLayoutEffect(() => {
    const [outer, content] = [box.current, inner.current];
    if (outer === null || content === null) return undefined;
    const follow = new ResizeObserver(() => {
      if (isAtEnd.current) toEnd();
    });
    follow.observe(outer);
    follow.observe(content);
    return () => follow.disconnect();
  }, []);
  const scrolled = () => {
    const outer = box.current;
    if (outer === null) return;
    const { scrollTop: top, scrollHeight: whole, clientHeight: seen } = outer;
    const before = last.current;
    last.current = { top, whole, seen };
    if (whole - top - seen < NEAR_PX) isAtEnd.current = true;
    // Only a person scrolls up while nothing changes its size.
    else if (top < before.top && whole === before.whole && seen === before.seen) isAtEnd.current = false;
    showsJump.value = !isAtEnd.current;
    if (top < OLDER_PX && top < before.top) void session.readOlder();
  };
  const cells = session.items.cells.value;
  const oldest = cells[0]?.key;
  // What is looked at stays where it is when older messages come before it.
  const fromEnd = useRef(0);
  useLayoutEffect(() => {
    const outer = box.current;
    if (outer !== null && fromEnd.current > 0) outer.scrollTop = outer.scrollHeight - fromEnd.current;
    fromEnd.current = 0;
  }, [oldest]);
  session.items.beforeOlder(() => {
    const outer = box.current;
    if (outer !== null) fromEnd.current = outer.scrollHeight - outer.scrollTop;
  });
  const isEmpty = cells.length === 0 && session.link.value === "connected";
  return (
    <div class="scroll" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="Conversation">
      <div class="transcript" ref={inner}>
        {session.older.value === null ? null : (
          <button class="older" disabled={session.isReadingOlder.value} onClick={() => void session.readOlder()}>
            Earlier messages
          </button>
        )}
        {isEmpty ? <p class="empty">Nothing yet. / lists commands, @ files</p> : null}
        {sections(cells).map(({ key, cells }) => (
          <Section key={key} cells={cells} length={cells.length} last={cells.at(-1)!.key} />
        ))}
        <Working session={session} />
      </div>
      {showsJump.value ? (
        <button class="jump" title="To the end" aria-label="To the end" onClick={toEnd}>
          ↓
        </button>
      ) : null}
    </div>
  );
}

interface SectionProps {
  readonly cells: readonly ItemCell[];
  readonly length: number;
  readonly last: number;
}

interface Sectioned {
  readonly key: number;
  readonly cells: readonly ItemCell[];
}

/** By the keys of the items, so that a section keeps its own when others come before it. */
function sections(cells: readonly ItemCell[]): readonly Sectioned[] {
  const groups = Map.groupBy(cells, ({ key }) => Math.floor(key / IN_SECTION));
  return [...groups].map(([key, cells]) => ({ key, cells }));
}

const Section = memoSection();

function memoSection() {
  const Inner = memo(({ cells }: SectionProps) => (
    <section class="span">
      {cells.map((cell) => (
        <Item key={cell.key} cell={cell} />
      ))}
    </section>
  ));
  return Inner;
}

function Working({ session }: { readonly session: ShownConversation }) {
  const state = session.state.value;
  if (state === "idle" || session.link.value !== "connected") return null;
  return (
    <p class={`working ${state}`} role="status">
      {state === "running" ? "Working" : "Waiting for an answer"}
    </p>
  );
}
