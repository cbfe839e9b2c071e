// Draws what a terminal shows as an SVG picture: the bytes of a real run go through an emulator, cell by cell.

import { Terminal, type IBufferCell } from "@xterm/headless";

const CELL = { width: 8.43, height: 18 } as const;
const MARGIN = 14;
/** Chromium collapses spaces without both of them. */
const KEEP_SPACES = `xml:space="preserve" style="white-space:pre"`;
const COLORS = { background: "#16181d", text: "#d8dee9" } as const;
const SIXTEEN = [
  "#3b4252",
  "#e06c75",
  "#98c379",
  "#e5c07b",
  "#61afef",
  "#c678dd",
  "#56b6c2",
  "#d8dee9",
  "#5c6370",
  "#ff7b86",
  "#b5e890",
  "#ffd68a",
  "#82c4ff",
  "#dd9bf5",
  "#7fd7e3",
  "#ffffff",
];

export interface Picture {
  readonly columns: number;
  readonly rows: number;
  /** Rows at the top that are left out. */
  readonly from?: number;
  readonly title: string;
}

export async function screenSvg(bytes: string, { columns, rows, from = 0, title }: Picture): Promise<string> {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 10_000 });
  await new Promise<void>((done) => terminal.write(bytes, done));
  const { active } = terminal.buffer;
  const drawn: string[] = [];
  let last = 0;
  for (let row = from; row < rows; row++) {
    const line = active.getLine(active.viewportY + row);
    const spans = line ? spansOf(columns, (column) => line.getCell(column)) : [];
    if (spans.some(({ text, style }) => text.trim() !== "" || style.background !== undefined)) last = row;
    drawn.push(...spans.map((span) => draw(span, row - from)));
  }
  const width = columns * CELL.width + 2 * MARGIN;
  const height = (last - from + 1) * CELL.height + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width.toFixed(0)}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${COLORS.background}"/>`,
    `<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14">`,
    ...drawn,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

interface Look {
  readonly color: string;
  readonly background?: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly dim: boolean;
  readonly line: string;
}

interface Span {
  readonly column: number;
  text: string;
  cells: number;
  readonly style: Look;
}

/** Neighbouring cells that look the same, as one text. */
function spansOf(columns: number, cellAt: (column: number) => IBufferCell | undefined): Span[] {
  const spans: Span[] = [];
  let key = "";
  for (let column = 0; column < columns; column++) {
    const cell = cellAt(column);
    if (!cell || cell.getWidth() === 0) continue;
    const style = lookOf(cell);
    const next = JSON.stringify(style);
    const span = spans.at(-1);
    const text = cell.getChars() || " ";
    if (span && key === next) {
      span.text += text;
      span.cells += cell.getWidth();
    } else {
      spans.push({ column, text, cells: cell.getWidth(), style });
    }
    key = next;
  }
  return spans.filter(({ text, style }) => text.trim() !== "" || style.background !== undefined);
}

function lookOf(cell: IBufferCell): Look {
  const own = cell.isFgDefault() ? COLORS.text : colorOf(cell.getFgColor(), cell.isFgRGB());
  const behind = cell.isBgDefault() ? undefined : colorOf(cell.getBgColor(), cell.isBgRGB());
  const [color, background] = cell.isInverse() ? [behind ?? COLORS.background, own] : [own, behind];
  const line = [cell.isUnderline() ? "underline" : "", cell.isStrikethrough() ? "line-through" : ""].join(" ").trim();
  return {
    color,
    ...(background === undefined ? {} : { background }),
    bold: cell.isBold() !== 0,
    italic: cell.isItalic() !== 0,
    dim: cell.isDim() !== 0,
    line,
  };
}

function colorOf(value: number, isRgb: boolean): string {
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (value < 16) return SIXTEEN[value]!;
  if (value >= 232) return gray(8 + (value - 232) * 10);
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = value - 16;
  return rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const gray = (level: number) => rgb(level, level, level);
const rgb = (...parts: number[]) => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

function draw({ column, text, cells, style }: Span, row: number): string {
  const x = MARGIN + column * CELL.width;
  const y = MARGIN + row * CELL.height;
  const width = cells * CELL.width;
  const { color, background, bold, italic, dim, line } = style;
  const behind =
    background === undefined
      ? ""
      : `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${CELL.height}" fill="${background}"/>`;
  if (text.trim() === "") return behind;
  const more = [
    bold ? ' font-weight="bold"' : "",
    italic ? ' font-style="italic"' : "",
    dim ? ' opacity="0.6"' : "",
    line === "" ? "" : ` text-decoration="${line}"`,
  ].join("");
  const at = `x="${x.toFixed(1)}" y="${y + 13}" textLength="${width.toFixed(1)}" ${KEEP_SPACES}`;
  return `${behind}<text ${at} fill="${color}"${more}>${escaped(text)}</text>`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
