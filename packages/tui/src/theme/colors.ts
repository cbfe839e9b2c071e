// How many colors a terminal shows, and a color in the nearest form that it does.

type Env = Readonly<Record<string, string | undefined>>;

export type ColorCount = 0 | 16 | 256 | 16_777_216;

/** `#rrggbb`, or a number of the terminal's own 16 or 256 colors. */
export type Color = `#${string}` | number;

const ALL = 16_777_216;

export function colorCount(env: Env): ColorCount {
  const forced = forcedCount(env.FORCE_COLOR);
  if (forced !== undefined) return forced;
  // Any value that is not empty, as no-color.org has it.
  if (env.NO_COLOR) return 0;
  const term = env.TERM ?? "";
  if (term === "dumb") return 0;
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? "")) return ALL;
  // tmux and screen pass no more on than they say.
  if (term.endsWith("-direct") || /^xterm-(?:kitty|ghostty)$|^foot|^alacritty|^wezterm/.test(term)) return ALL;
  if (/^(?:iterm\.app|vscode|ghostty|wezterm)$/i.test(env.TERM_PROGRAM ?? "") && !env.TMUX) return ALL;
  if (env.WT_SESSION) return ALL;
  if (/256color/.test(term) || env.TERM_PROGRAM === "Apple_Terminal") return 256;
  return 16;
}

function forcedCount(value: string | undefined): ColorCount | undefined {
  switch (value) {
    case undefined:
      return undefined;
    case "0":
    case "false":
      return 0;
    case "2":
      return 256;
    case "3":
      return ALL;
    default:
      return 16;
  }
}

/** The parameters of SGR for a color in the foreground; undefined if there are no colors. */
export function foreground(color: Color, colors: ColorCount): string | undefined {
  return parameters(color, colors, 30);
}

export function background(color: Color, colors: ColorCount): string | undefined {
  return parameters(color, colors, 40);
}

function parameters(color: Color, colors: ColorCount, base: 30 | 40): string | undefined {
  if (colors === 0) return undefined;
  if (typeof color === "number") {
    if (color < 8) return `${base + color}`;
    if (color < 16) return `${base + 60 + color - 8}`;
    return colors === 16 ? parameters(nearest16(ofIndex(color)), 16, base) : `${base + 8};5;${color}`;
  }
  const rgb = parseHex(color);
  if (rgb === undefined) return undefined;
  if (colors === ALL) return `${base + 8};2;${rgb.join(";")}`;
  if (colors === 256) return `${base + 8};5;${nearest256(rgb)}`;
  return parameters(nearest16(rgb), 16, base);
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** `#rgb` or `#rrggbb`. */
export function parseHex(text: string): Rgb | undefined {
  const match = /^#(?:([\da-f]{3})|([\da-f]{6}))$/i.exec(text);
  if (!match) return undefined;
  const digits = match[2] ?? [...match[1]!].map((digit) => digit + digit).join("");
  const part = (at: number) => Number.parseInt(digits.slice(at, at + 2), 16);
  return [part(0), part(2), part(4)];
}

/** The steps of the 6×6×6 cube of the 256 colors. */
const STEPS = [0, 95, 135, 175, 215, 255];

function nearest256(rgb: Rgb): number {
  const cube = rgb.map((part) => nearestIndex(STEPS, part));
  const inCube = 16 + 36 * cube[0]! + 6 * cube[1]! + cube[2]!;
  const grey = Math.max(0, Math.min(23, Math.round(((rgb[0] + rgb[1] + rgb[2]) / 3 - 8) / 10)));
  const nearest = distance(rgb, ofIndex(inCube)) <= distance(rgb, ofIndex(232 + grey)) ? inCube : 232 + grey;
  return isHued(rgb) && new Set(ofIndex(nearest)).size === 1 ? nearestOfHue(rgb) : nearest;
}

/** The cube has few dark colors. A grey that is nearer would make added and removed lines look the same. */
function nearestOfHue(rgb: Rgb): number {
  const wanted = strongest(rgb);
  const same = Array.from({ length: 216 }, (_, at) => 16 + at).filter((index) => strongest(ofIndex(index)) === wanted);
  const distances = same.map((index) => distance(rgb, ofIndex(index)));
  return same[distances.indexOf(Math.min(...distances))]!;
}

const isHued = (rgb: Rgb) => strongest(rgb) !== undefined && Math.max(...rgb) - Math.min(...rgb) >= 24;

/** Whether it is red, green or blue that is strongest; undefined if two are. */
function strongest(rgb: Rgb): number | undefined {
  const most = Math.max(...rgb);
  const at = rgb.indexOf(most);
  return rgb.lastIndexOf(most) === at ? at : undefined;
}

function ofIndex(index: number): Rgb {
  if (index < 16) return BASIC[index]!;
  if (index >= 232) return [8 + (index - 232) * 10, 8 + (index - 232) * 10, 8 + (index - 232) * 10];
  const at = index - 16;
  return [STEPS[Math.floor(at / 36)]!, STEPS[Math.floor(at / 6) % 6]!, STEPS[at % 6]!];
}

function nearest16(rgb: Rgb): number {
  const distances = BASIC.map((basic) => distance(rgb, basic));
  return distances.indexOf(Math.min(...distances));
}

function nearestIndex(values: readonly number[], wanted: number): number {
  const distances = values.map((value) => Math.abs(value - wanted));
  return distances.indexOf(Math.min(...distances));
}

function distance(a: Rgb, b: Rgb): number {
  // The eye sees green best and blue least.
  return 3 * (a[0] - b[0]) ** 2 + 6 * (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}

/** As xterm shows them; people change them, so this is only for choosing the nearest. */
const BASIC: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];
