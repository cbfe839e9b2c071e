// A text on the full screen: a plan, a report.

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
