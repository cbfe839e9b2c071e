// A unified diff on the full screen: the list of files, then each file with its hunks.

import { counted } from "../blocks/amounts.ts";
import { countChangedLines, renderDiff } from "../diff/render-diff.ts";
import { unifiedDiff, type FileDiff } from "@keelson/client/unified-diff";
import { cleanRow } from "../screen/clean.ts";
import type { Theme } from "../theme/theme.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import type { FullScreenPanel } from "./full-screen-panel.ts";
import { Pager } from "./pager.ts";
import type { PagerSection } from "./section.ts";

export interface DiffViewerOptions {
  readonly title: string;
  /** As `git diff` prints it. */
  readonly diff: string;
  readonly keys: KeyLookup;
}

export function diffViewer({ title, diff, keys }: DiffViewerOptions): FullScreenPanel<null> {
  const files = unifiedDiff(diff);
  const sections = [overview(files), ...files.map(fileSection)];
  return new Pager({ title: cleanRow(title), sections: () => sections, keys, place: "DiffDialog" });
}

function overview(files: readonly FileDiff[]): PagerSection {
  return {
    lines(_columns, theme) {
      if (files.length === 0) return ["No changes"];
      const all = files.flatMap(({ hunks }) => hunks);
      const summary = theme.paint("bold", `${counted(files.length, "file")} changed`);
      return [
        `${summary} ${counts(all, theme)}`,
        ...files.map((file) => `  ${nameOf(file)} ${counts(file.hunks, theme)}`),
      ];
    },
  };
}

function fileSection(file: FileDiff): PagerSection {
  return {
    isMark: true,
    folds: true,
    lines: (columns, theme) => [
      `${theme.paint("heading", nameOf(file))} ${counts(file.hunks, theme)}`,
      ...renderDiff(file, columns, theme),
    ],
  };
}

function nameOf({ path, oldPath, change }: FileDiff): string {
  const name = cleanRow(path);
  if (change === "renamed") return `${cleanRow(oldPath ?? "")} → ${name}`;
  return change === "modified" ? name : `${name} (${change})`;
}

function counts(hunks: FileDiff["hunks"], theme: Theme): string {
  const { added, removed } = countChangedLines(hunks);
  return `${theme.paint("added", `+${added}`)} ${theme.paint("removed", `-${removed}`)}`;
}
