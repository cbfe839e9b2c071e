// What items are rendered for, and the signs in front of them.

import { fit, wrap } from "../screen/rows.ts";
import type { Theme } from "../theme/theme.ts";

export interface ItemLook {
  readonly columns: number;
  readonly theme: Theme;
  /** Milliseconds, for elapsed times. */
  readonly now: number;
  /** Paths in it are shown relative to it. */
  readonly cwd: string;
  /** Nothing is folded: for viewers. */
  readonly whole: boolean;
  /** Signs are words, and who speaks is said: for screen readers. */
  readonly spoken?: boolean;
  /** The key of an action as it is shown, or "" if it has none. */
  key(action: string): string;
}

const SIGNS = {
  bullet: ["●", "*"],
  elbow: ["⎿", "`-"],
  prompt: ["❯", ">"],
  spark: ["✻", "*"],
  warning: ["▲", "!"],
  cross: ["✗", "x"],
  clock: ["↻", "~"],
  branch: ["├─", "|-"],
  lastBranch: ["└─", "`-"],
  trunk: ["│", "|"],
  line: ["─", "-"],
  pending: ["□", "[ ]"],
  active: ["◧", "[~]"],
  complete: ["■", "[x]"],
  full: ["█", "#"],
  empty: ["░", "."],
  cell: ["■", "#"],
  hollowCell: ["□", "."],
  downwards: ["↓", "down"],
  upwards: ["↑", "up"],
} as const satisfies Record<string, readonly [string, string]>;

export const sign = (name: keyof typeof SIGNS, { ascii }: Pick<Theme, "ascii">): string => SIGNS[name][ascii ? 1 : 0];

const SPOKEN = {
  user: "You:",
  shell: "You, shell:",
  answer: "Keelson:",
  tool: "Tool:",
  note: "Note:",
  warning: "Warning:",
  error: "Error:",
} as const;

/** What is in front of an item: a painted sign, or in words who says it. */
export function speaker(who: keyof typeof SPOKEN, painted: string, { spoken }: ItemLook): string {
  return spoken ? SPOKEN[who] : painted;
}

/** Rows under a head: the first behind the elbow, the others below it. */
export function underElbow(rows: readonly string[], { theme, spoken }: ItemLook): string[] {
  if (spoken) return rows.map((row, index) => (index === 0 ? `Result: ${row}` : row));
  const first = `  ${theme.paint("dim", sign("elbow", theme))} ${theme.ascii ? "" : " "}`;
  return rows.map((row, index) => (index === 0 ? first + row : row === "" ? "" : `     ${row}`));
}

/** How many columns rows under a head have. */
export const ELBOW_COLUMNS = 5;

/** Wrapped, with the first row behind a sign and the others below its text. */
export function behindSign(painted: string, text: string, columns: number, indent = 2): string[] {
  const rows = text.split("\n").flatMap((line) => wrap(line, Math.max(1, columns - indent)));
  return rows.map((row, index) => fit(index === 0 ? `${painted} ${row}` : " ".repeat(indent) + row, columns));
}

/** The text, or nothing if there is no key for it. */
export function withKey(look: ItemLook, action: string, say: (key: string) => string): string {
  const key = look.key(action);
  return key === "" ? "" : say(key);
}
