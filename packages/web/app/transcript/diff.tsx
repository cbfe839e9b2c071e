// How a call changes a file.

import { relativePath } from "@keelson/client";
import type { FilePatch, PatchHunk } from "@keelson/protocol";
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { codeColors } from "./code/code.tsx";
import { memo } from "./memo.ts";
import { showAll, showRow } from "./visible.ts";

interface DiffProps {
  readonly patch: FilePatch;
  /** The path is relative to it, if it is inside. */
  readonly cwd?: string | undefined;
  /** Of a long one, the beginning is shown, with a button for the rest. What someone decides about is shown in full. */
  readonly folds?: boolean;
}

/** A fold that hides less is none. */
const FOLDED_LINES = 200;
const HIDDEN_LINES = 40;

export function Diff({ patch: { path, isNew, hunks }, cwd = "", folds = false }: DiffProps) {
  const isOpen = useSignal(false);
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const first = useMemo(() => firstOf(hunks), [hunks]);
  const isFolded = folds && !isOpen.value && lines > FOLDED_LINES + HIDDEN_LINES;
  return (
    <figure class="diff">
      <figcaption class="mono">
        {showRow(relativePath(path, cwd))}
        {isNew ? <span class="dim"> new file</span> : null}
      </figcaption>
      <div class="lines" tabIndex={0}>
        {(isFolded ? first : hunks).map((hunk, at) => (
          <Hunk key={at} hunk={hunk} path={path} />
        ))}
      </div>
      {isFolded ? (
        <button class="rest" onClick={() => (isOpen.value = true)}>
          Show {lines - FOLDED_LINES} more lines
        </button>
      ) : null}
    </figure>
  );
}

function firstOf(hunks: readonly PatchHunk[]): readonly PatchHunk[] {
  const first: PatchHunk[] = [];
  let left = FOLDED_LINES;
  for (const hunk of hunks) {
    if (left <= 0) break;
    first.push({ ...hunk, lines: hunk.lines.slice(0, left) });
    left -= hunk.lines.length;
  }
  return first;
}

const KINDS: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "\\": "dim" };

interface HunkProps {
  readonly hunk: PatchHunk;
  readonly path: string;
}

function Hunk({ hunk: { oldStart, newStart, lines }, path }: HunkProps) {
  const texts = useMemo(() => lines.map((line) => showAll(line.slice(1))), [lines]);
  const colors = codeColors();
  const draw = (colored: readonly ComponentChildren[]) => {
    let [before, after] = [oldStart, newStart];
    return (
      <table>
        <tbody>
          {lines.map((line, at) => {
            const mark = line[0] ?? " ";
            const number = mark === "+" ? after++ : mark === "-" ? before++ : mark === "\\" ? "" : (before++, after++);
            return <Line key={at} mark={mark} number={number} text={colored[at] ?? texts[at]} />;
          })}
        </tbody>
      </table>
    );
  };
  return colors === undefined ? draw([]) : <colors.ColoredPatch lines={lines} texts={texts} path={path} draw={draw} />;
}

interface LineProps {
  readonly mark: string;
  readonly number: number | string;
  readonly text: ComponentChildren;
}

const Line = memo(({ mark, number, text }: LineProps) => (
  <tr class={KINDS[mark]}>
    <td class="number">{number}</td>
    <td class="mark">{mark}</td>
    <td class="text">{text}</td>
  </tr>
));
