// The whole conversation on the full screen: every prompt and answer, thinking, and tools with all of their output.

import { renderItem } from "../blocks/item.ts";
import { isDone, type StreamItem } from "../stream/item.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import type { FullScreenPanel } from "./full-screen-panel.ts";
import { Pager } from "./pager.ts";
import type { PagerSection } from "./section.ts";

export interface TranscriptViewerOptions {
  /** Asked for each frame: the conversation may continue. */
  items(): readonly StreamItem[];
  /** How many earlier items are not here any more. */
  forgotten?(): number;
  readonly keys: KeyLookup;
  readonly cwd: string;
  now(): number;
}

export function transcriptViewer(options: TranscriptViewerOptions): FullScreenPanel<null> {
  const { items, forgotten, keys } = options;
  const finished = new WeakMap<StreamItem, PagerSection>();
  const sectionOf = (item: StreamItem) => {
    const known = finished.get(item);
    if (known) return known;
    const section = itemSection(item, options);
    // One that is not done looks different in the next frame.
    if (isDone(item)) finished.set(item, section);
    return section;
  };
  let left = 0;
  let note: PagerSection = { lines: () => [] };
  const sections = () => {
    const missing = forgotten?.() ?? 0;
    if (missing !== left) {
      left = missing;
      note = { lines: (_columns, theme) => [theme.paint("dim", `${missing} earlier entries are not kept in memory`)] };
    }
    return [note, ...items().map(sectionOf)];
  };
  return new Pager({ title: "Transcript", sections, keys, place: "Transcript", opensAt: "end" });
}

function itemSection(item: StreamItem, { cwd, keys, now }: TranscriptViewerOptions): PagerSection {
  return {
    folds: true,
    isMark: item.kind === "prompt",
    lines: (columns, theme) =>
      renderItem(item, { columns, theme, now: now(), cwd, whole: true, key: (action) => keys.keyFor(action) ?? "" }),
  };
}
