// Colors of code. The text is the same with and without.

import { fileHighlighter, lineHighlighter } from "@keelson/client/code-colors";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { memo } from "../memo.ts";
import { chunksOf, inChunk, LINES_IN_CHUNK } from "./code.tsx";
import { LineColors, MOST_CHARS, type ColoredLine } from "./line-colors.ts";

interface ColoredProps {
  readonly text: string;
  readonly language: string;
}

export function Colored({ text, language }: ColoredProps) {
  const colors = useMemo(() => {
    const highlighter = lineHighlighter(language);
    return new LineColors(() => {
      const current = highlighter.fork();
      return () => current;
    });
  }, [language]);
  useMemo(() => colors.set(firstLines(text)), [text, colors]);
  useEffect(() => () => colors.stop(), [colors]);
  void colors.version.value;
  const { colored, last } = colors;
  return (
    <>
      {chunksOf(text).map((own, at) => {
        const from = at * LINES_IN_CHUNK;
        const to = Math.min(Math.max(from, colored.length), from + LINES_IN_CHUNK);
        const isLast = last !== undefined && colored.length >= from && colored.length < from + LINES_IN_CHUNK;
        return <Chunk key={at} text={own} lines={colored} from={from} to={to} last={isLast ? last : undefined} />;
      })}
    </>
  );
}

/** Those that may have colors. Of a longer text, the last line would not be whole. */
const firstLines = (text: string) =>
  text.length <= MOST_CHARS ? text.split("\n") : text.slice(0, MOST_CHARS).split("\n").slice(0, -1);

interface ChunkProps {
  readonly text: string;
  readonly lines: readonly ColoredLine[];
  /** Those that have colors. */
  readonly from: number;
  readonly to: number;
  /** The line behind them, if it is the last of all and has colors. */
  readonly last: ColoredLine | undefined;
}

const Chunk = memo(({ text, lines, from, to, last }: ChunkProps) => {
  if (from === to && last === undefined) return inChunk(0, text);
  const colored = [...lines.slice(from, to), ...(last ? [last] : [])];
  const plain = text.split("\n").slice(colored.length);
  return inChunk(0, [...parts(plain.length > 0 ? [...colored, []] : colored), plain.join("\n")]);
});

/** With line ends between them. Neighbors without a color are one text. */
function parts(lines: readonly ColoredLine[]): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let plain = "";
  for (const [at, line] of lines.entries()) {
    if (at > 0) plain += "\n";
    for (const { text, styles } of line) {
      if (styles.length === 0) {
        plain += text;
        continue;
      }
      if (plain !== "") found.push(plain);
      plain = "";
      found.push(<span class={`c-${styles[0]}`}>{text}</span>);
    }
  }
  if (plain !== "") found.push(plain);
  return found;
}

interface ColoredLinesProps {
  /** As a patch has them, with their marks. */
  readonly lines: readonly string[];
  /** As they are shown. */
  readonly texts: readonly string[];
  readonly path: string;
  draw(colored: readonly ComponentChildren[]): ComponentChildren;
}

/** Lines of a patch. What is removed and what is added are two texts, and unchanged lines are in both. */
export function ColoredPatch({ lines, texts, path, draw }: ColoredLinesProps) {
  const colors = useMemo(() => new LineColors(() => patchHighlighters(lines, path)), [lines, path]);
  useMemo(() => colors.set(texts), [texts, colors]);
  useEffect(() => () => colors.stop(), [colors]);
  void colors.version.value;
  const { colored, last } = colors;
  // Those that were drawn stay as they are.
  const drawn = useMemo<ComponentChildren[]>(() => [], [colors]);
  for (let at = drawn.length; at < colored.length; at++) drawn.push(parts([colored[at]!]));
  return <>{draw(last === undefined ? drawn : [...drawn, parts([last])])}</>;
}

function patchHighlighters(lines: readonly string[], path: string) {
  const [before, after, note] = [fileHighlighter(path), fileHighlighter(path), lineHighlighter("")];
  const both = {
    known: after.known,
    line: (text: string) => {
      before.line(text);
      return after.line(text);
    },
    fork: () => after.fork(),
  };
  const highlighters: Readonly<Record<string, typeof after>> = { "-": before, "+": after, "\\": note };
  return (at: number) => highlighters[lines[at]?.[0] ?? " "] ?? both;
}
