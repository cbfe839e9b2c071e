// What is shown above a view, and closed again.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface FrameProps {
  readonly title: string;
  readonly children: ComponentChildren;
  close(): void;
}

/** The browser keeps the focus inside, closes it on Escape, and gives the focus back. */
export function Frame({ title, children, close }: FrameProps) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => box.current?.showModal(), []);
  return (
    <dialog class="sheet" ref={box} aria-label={title} onClose={close}>
      <header class="bar">
        <h2 class="grow">{title}</h2>
        <button class="quiet" aria-label="Close" onClick={() => box.current?.close()}>
          ✕
        </button>
      </header>
      <div class="content">{children}</div>
    </dialog>
  );
}
