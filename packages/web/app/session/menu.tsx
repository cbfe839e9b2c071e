// What is done with a session beside talking to it.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { lazy } from "../lazy.tsx";
import type { LiveSession } from "./live-session.ts";

const MenuItems = lazy(async () => (await import("./menu-items.tsx")).MenuItems);

/** What is shown above the session. */
export type SheetName = "model" | "rename" | "changes" | "rewind" | "delete";

interface MenuProps {
  readonly session: LiveSession;
  open(sheet: SheetName): void;
}

export function Menu({ session, open }: MenuProps) {
  const box = useRef<HTMLDivElement>(null);
  const isOpen = useSignal(false);
  return (
    <>
      <button class="quiet more" popovertarget="session-menu" aria-label="More">
        ⋯
      </button>
      <div
        class="menu"
        id="session-menu"
        popover="auto"
        ref={box}
        onToggle={(event) => (isOpen.value = event.newState === "open")}
      >
        {isOpen.value ? <MenuItems session={session} open={open} close={() => box.current?.hidePopover()} /> : null}
      </div>
    </>
  );
}
