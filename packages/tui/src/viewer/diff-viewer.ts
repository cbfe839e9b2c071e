// A unified diff on the full screen: the list of files, then each file with its hunks.

import { cleanRow } from "../screen/clean.ts";
import type { Theme } from "../theme/theme.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { Pager, type FullScreenPanel } from "./pager.ts";
import type { PagerSection } from "./section.ts";
import { readUnifiedDiff, type DiffedFile } from "./unified-diff.ts";

export interface DiffViewerOptions {
  readonly title: string;
  /** As `git diff` prints it. */
  readonly diff: string;
  readonly keys: KeyLookup;
}

export function diffViewer({ title, diff, keys }: DiffViewerOptions): FullScreenPanel<null> {
  const files = readUnifiedDiff(diff);
  const sections = [overview(files), ...files.map(fileSection)];
  return new Pager({ title: cleanRow(title), sections: () => sections, keys, place: "DiffDialog" });
}

function overview(files: readonly DiffedFile[]): PagerSection {
  return {
    lines(_columns, theme) {
      if (files.length === 0) return ["No changes"];
      const sum = (count: (file: DiffedFile) => number) => files.reduce((total, file) => total + count(file), 0);
      const total = counts(
        sum(({ added }) => added),
        sum(({ removed }) => removed),
        theme,
      );
      return [
        `${theme.paint("bold", `${files.length} ${files.length === 1 ? "file" : "files"} changed`)} ${total}`,
        ...files.map((file) => `  ${nameOf(file)} ${counts(file.added, file.removed, theme)}`),
      ];
    },
  };
}

function fileSection(file: DiffedFile): PagerSection {
  return {
    isMark: true,
    folds: true,
    lines: (_columns, theme) => [
      `${theme.paint("heading", nameOf(file))} ${counts(file.added, file.removed, theme)}`,
      ...file.rows.map((row) => paintRow(cleanRow(row.replaceAll("\t", "    ")), theme)),
    ],
  };
}

function paintRow(row: string, theme: Theme): string {
  if (row.startsWith("+")) return theme.paint("added", row);
  if (row.startsWith("-")) return theme.paint("removed", row);
  if (row.startsWith("@@")) return theme.paint("accent", row);
  return row.startsWith("\\") ? theme.paint("dim", row) : row;
}

function nameOf({ path, change, from }: DiffedFile): string {
  const name = cleanRow(path);
  if (change === "renamed") return `${cleanRow(from ?? "")} → ${name}`;
  return change === "changed" ? name : `${name} (${change})`;
}

const counts = (added: number, removed: number, theme: Theme) =>
  `${theme.paint("added", `+${added}`)} ${theme.paint("removed", `-${removed}`)}`;
