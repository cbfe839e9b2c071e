// Code. What gives it colors is loaded with the first code, so at first, and without it, it has none.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type * as Colors from "./colors.tsx";

interface CodeProps {
  readonly text: string;
  /** As it stands behind a fence. */
  readonly language: string;
}

/** For the inside of an element that keeps spaces. */
export function Code(props: CodeProps) {
  const colors = props.language === "" ? undefined : codeColors();
  if (colors !== undefined) return <colors.Colored {...props} />;
  return <>{chunksOf(props.text).map((text, at) => inChunk(at, text))}</>;
}

/** Lines in a block of their own, so that where some come or get their colors only these are laid out again. */
export const inChunk = (at: number, inside: ComponentChildren) => (
  <span key={at} class="lines">
    {inside}
  </span>
);

export const LINES_IN_CHUNK = 40;

/** They join to the text; each but the last has as many lines. */
export function chunksOf(text: string): readonly string[] {
  const chunks: string[] = [];
  for (let start = 0, line = 1, at = text.indexOf("\n"); ; at = text.indexOf("\n", at + 1), line++) {
    if (at !== -1 && line % LINES_IN_CHUNK !== 0) continue;
    const end = at === -1 ? text.length : at + 1;
    chunks.push(text.slice(start, end));
    if (end >= text.length) return chunks;
    start = end;
  }
}

const loaded = signal<typeof Colors | undefined>(undefined);
let isLoading = false;

/** Undefined until it is loaded. A component that calls it is drawn again then. */
export function codeColors(): typeof Colors | undefined {
  if (!isLoading) {
    isLoading = true;
    import("./colors.tsx").then(
      (module) => (loaded.value = module),
      () => (isLoading = false),
    );
  }
  return loaded.value;
}
