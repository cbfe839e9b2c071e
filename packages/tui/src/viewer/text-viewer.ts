// A text on the full screen: a plan, the output of a task, a report.

import { cleanRow } from "../screen/clean.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import type { FullScreenPanel } from "./full-screen-panel.ts";
import { Pager } from "./pager.ts";
import { linesOfText, type PagerSection, type RenderMarkdown } from "./section.ts";

export interface TextViewerOptions {
  readonly title: string;
  readonly text: string;
  readonly keys: KeyLookup;
  /** Without it, the text is shown as it is. */
  readonly markdown?: RenderMarkdown;
}

export function textViewer({ title, text, keys, markdown }: TextViewerOptions): FullScreenPanel<null> {
  const section: PagerSection = {
    lines: (columns, theme) => markdown?.(text, columns, theme) ?? linesOfText(text),
  };
  return new Pager({ title: cleanRow(title), sections: () => [section], keys });
}

export interface GrowingTextOptions {
  readonly title: string;
  /** The text so far; asked for each frame. */
  text(): string;
  readonly keys: KeyLookup;
  /** Milliseconds between looks. Undefined once the text is complete. */
  every?(): number | undefined;
}

/** A text that grows; it is followed as long as its end is on the screen. */
export function growingTextViewer({ title, text, keys, every }: GrowingTextOptions): FullScreenPanel<null> {
  let shown = "";
  let section: PagerSection = { lines: () => [] };
  const sections = () => {
    const now = text();
    if (now !== shown) {
      shown = now;
      section = { lines: () => linesOfText(now) };
    }
    return [section];
  };
  return new Pager({ title: cleanRow(title), sections, keys, opensAt: "end", ...(every ? { every } : {}) });
}
