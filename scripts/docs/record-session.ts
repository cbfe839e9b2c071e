// Records a terminal session: docs/session.svg, and the same as text for the README. `bun
// scripts/docs/record-session.ts` writes the picture and prints the text; test/docs.test.ts checks that both are current.

import { join } from "node:path";
import { openDocShell } from "./doc-shell.ts";
import { root } from "../root.ts";

export interface Recording {
  readonly text: string;
  readonly svg: string;
}

const COMMANDS = [
  'keelson -p "summarise this repository"',
  `keelson -p --permission-mode acceptEdits 'replace "step < 10" with "step < 12" in src/kepler.js'`,
  `keelson -p --output-format stream-json --verbose 'search for "TODO"' 2>/dev/null | cut -c1-66`,
];

/** Replaces the folder's name, the only thing that differs between runs. */
export async function record(): Promise<Recording> {
  using shell = openDocShell();
  const lines: string[] = [];
  for (const command of COMMANDS) {
    // The folder's real name has another length, so cut the lines after replacing it.
    const [run, columns] = command.split(" | cut -c1-");
    const { stdout } = await shell.run(`exec 2>&1\n${run}`);
    const shown = stdout.replaceAll(shell.project, "/home/you/orrery").trimEnd().split("\n");
    lines.push(`$ ${command}`, ...shown.map((line) => (columns ? line.slice(0, Number(columns)) : line)), "");
  }
  lines.pop();
  return { text: lines.join("\n"), svg: draw(lines.flatMap(wrap)) };
}

const COLUMNS = 98;
const [CHARACTER, LINE, MARGIN, BAR] = [8, 20, 22, 40] as const;

function wrap(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const space = line.lastIndexOf(" ", COLUMNS);
  const at = space > COLUMNS / 2 ? space : COLUMNS;
  return [line.slice(0, at), ...wrap(line.slice(at).trimStart())];
}

function draw(lines: readonly string[]): string {
  const width = 2 * MARGIN + COLUMNS * CHARACTER;
  const height = BAR + lines.length * LINE + MARGIN;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (colour, at) => `<circle cx="${MARGIN + at * 20}" cy="20" r="6" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal session with Keelson">`,
    `<rect width="${width}" height="${height}" rx="10" fill="#12161d"/>`,
    ...dots,
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">',
    ...lines.flatMap((line, at) => (line === "" ? [] : [textAt(line, BAR + 14 + at * LINE)])),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** `textLength` keeps columns aligned in any font. */
function textAt(line: string, y: number): string {
  const length = ` textLength="${line.length * CHARACTER}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${MARGIN}" y="${y}"${length} fill="${colourOf(line)}">${escape(line)}</text>`;
}

function colourOf(line: string): string {
  if (line.startsWith("$ ")) return "#7ee2a8";
  if (line.startsWith("{")) return "#8fb8ff";
  return "#d5dae3";
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

if (import.meta.main) {
  const { text, svg } = await record();
  await Bun.write(join(root, "docs", "session.svg"), svg);
  console.log(text);
}
