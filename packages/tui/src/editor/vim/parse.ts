// Reads the keys of NORMAL and VISUAL mode: a command, the start of one, or nothing vim knows.

/** Where a motion or a text object goes. */
export type VimTarget =
  | { readonly kind: "motion"; readonly name: string; readonly character?: string }
  | { readonly kind: "object"; readonly name: string; readonly around: boolean }
  /** The operator twice: the current line. */
  | { readonly kind: "line" };

export type VimCommand =
  | { readonly kind: "operator"; readonly operator: string; readonly count: number; readonly target: VimTarget }
  | { readonly kind: "move"; readonly count: number | undefined; readonly target: VimTarget }
  | { readonly kind: "simple"; readonly name: string; readonly count: number | undefined; readonly character?: string };

export type VimParse = VimCommand | "more" | "unknown";

const OPERATORS = new Set(["d", "c", "y", ">", "<"]);
const MOTIONS = new Set([
  "h",
  "j",
  "k",
  "l",
  "w",
  "W",
  "e",
  "E",
  "b",
  "B",
  "0",
  "$",
  "^",
  "G",
  ";",
  ",",
  "{",
  "}",
  "%",
  " ",
]);
const FINDS = new Set(["f", "F", "t", "T"]);
const OBJECTS = new Set(["w", "W", '"', "'", "`", "(", ")", "b", "[", "]", "{", "}", "B", "<", ">", "p"]);
const SIMPLE = new Set([..."xXDCsSYpPJu.iIaAoOvV~", "/", "?"]);
/** In VISUAL these act on the selection. */
const VISUAL = new Set([..."dxXDcsCSyY><J~pPovV"]);

const MOST_COUNT = 9_999;

export function parseVim(keys: readonly string[], visual: boolean): VimParse {
  const [first, afterFirst] = readCount(keys, 0);
  const key = keys[afterFirst];
  if (key === undefined) return "more";
  if (visual && VISUAL.has(key)) return { kind: "simple", name: key, count: first };
  if (visual && (key === "i" || key === "a")) return readMove(keys, afterFirst, first, true);
  if (key === "r") {
    const character = keys[afterFirst + 1];
    return character === undefined ? "more" : { kind: "simple", name: "r", count: first, character };
  }
  if (OPERATORS.has(key) && !visual) {
    const [second, afterSecond] = readCount(keys, afterFirst + 1);
    const count = Math.min(MOST_COUNT, (first ?? 1) * (second ?? 1));
    if (keys[afterSecond] === key) return { kind: "operator", operator: key, count, target: { kind: "line" } };
    const target = readTarget(keys, afterSecond, true);
    if (target === "more" || target === "unknown") return target;
    // `dG` without a count goes to the end, `d5G` to a line.
    const counted =
      first !== undefined || second !== undefined
        ? count
        : target.kind === "motion" && isLineNumber(target.name)
          ? 0
          : 1;
    return { kind: "operator", operator: key, count: counted, target };
  }
  if (SIMPLE.has(key)) return { kind: "simple", name: key, count: first };
  return readMove(keys, afterFirst, first, false);
}

/** Whether the count of a motion is the number of a line. */
export function isLineNumber(motion: string): boolean {
  return motion === "G" || motion === "gg";
}

function readMove(keys: readonly string[], at: number, count: number | undefined, objects: boolean): VimParse {
  const target = readTarget(keys, at, objects);
  return target === "more" || target === "unknown" ? target : { kind: "move", count, target };
}

function readTarget(keys: readonly string[], at: number, objects: boolean): VimTarget | "more" | "unknown" {
  const key = keys[at];
  if (key === undefined) return "more";
  const next = keys[at + 1];
  if (FINDS.has(key)) return next === undefined ? "more" : { kind: "motion", name: key, character: next };
  if (key === "g") {
    if (next === undefined) return "more";
    return next === "g" || next === "e" ? { kind: "motion", name: `g${next}` } : "unknown";
  }
  if (objects && (key === "i" || key === "a")) {
    if (next === undefined) return "more";
    return OBJECTS.has(next) ? { kind: "object", name: next, around: key === "a" } : "unknown";
  }
  return MOTIONS.has(key) ? { kind: "motion", name: key } : "unknown";
}

function readCount(keys: readonly string[], start: number): [number | undefined, number] {
  let at = start;
  let count: number | undefined;
  // `0` first is the start of the line.
  while (/^\d$/.test(keys[at] ?? "") && !(keys[at] === "0" && count === undefined)) {
    count = Math.min(MOST_COUNT, (count ?? 0) * 10 + Number(keys[at]));
    at += 1;
  }
  return [count, at];
}
