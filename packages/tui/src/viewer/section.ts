// What a pager shows: sections whose lines are made when they are first needed.

import { clean } from "../screen/clean.ts";
import type { Theme } from "../theme/theme.ts";

export interface PagerSection {
  /**
   * A line may be wider than `columns`: the pager wraps those that are visible. Called once for each width. Clean or
   * painted.
   */
  lines(columns: number, theme: Theme): readonly string[];
  /** It can be folded: then only its first line is shown. */
  readonly folds?: boolean;
  /** A place to jump to: a prompt in a transcript, a file in a diff. */
  readonly isMark?: boolean;
}

/** Rows of at most `columns`. */
export type RenderMarkdown = (text: string, columns: number, theme: Theme) => readonly string[];

/** Lines of text from elsewhere, harmless and without tabs, whose width a terminal decides. */
export function linesOfText(text: string): readonly string[] {
  return clean(text).replaceAll("\t", "    ").replace(/\n$/, "").split("\n");
}
