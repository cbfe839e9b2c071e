// Leads a terminal from one state to the next, and looks at each in every size of window.

import type { TestTerminal } from "@keelson/testkit/terminal";

export interface Step {
  /** Named if it fails. */
  readonly state: string;
  /** What leads here from the state before: text, and keys as `<esc>`. */
  readonly keys: readonly string[];
  /** What must be visible in every size. */
  readonly shows: readonly (string | RegExp)[];
  /** What must be visible at first. It is final, so that a smaller window may leave it in the scrollback. */
  readonly writes?: string;
  /** What must not be visible any more. */
  readonly hides?: readonly string[];
}

/** The window begins and ends in the last of them. */
const SIZES = [
  [80, 24],
  [40, 15],
  [120, 40],
] as const;

export const AT_PROMPT = /^❯\s*$/m;

/** In a window of 120×40: one step after the other, each in every size. */
export async function walk(terminal: TestTerminal, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    for (const key of step.keys) {
      if (key.startsWith("<")) terminal.press(key.slice(1, -1));
      else terminal.type(key);
    }
    await settled(terminal, { ...step, shows: [...step.shows, ...(step.writes === undefined ? [] : [step.writes])] });
    for (const [columns, rows] of SIZES) {
      const mark = terminal.mark();
      terminal.resize(columns, rows);
      await settled(terminal, step, mark);
    }
  }
}

/** Waits until everything is visible and fits. After a change of size, only what was drawn since `mark` counts. */
async function settled(terminal: TestTerminal, { state, shows, hides = [] }: Step, mark = -1): Promise<void> {
  const isShown = (word: string | RegExp, text: string) =>
    typeof word === "string" ? text.includes(word) : word.test(text);
  const holds = () => {
    if (terminal.mark() === mark || hasBrokenRows(terminal)) return false;
    const text = terminal.screen().join("\n");
    return shows.every((word) => isShown(word, text)) && !hides.some((word) => isShown(word, text));
  };
  try {
    await terminal.until(holds);
  } catch (error) {
    const size = `${terminal.columns}×${terminal.rows}`;
    throw new Error(`"${state}" in ${size} does not fit, or lacks one of: ${shows.join(", ")}`, { cause: error });
  }
}

/** Whether the terminal had to break rows of the dialog or prompt. What is above it was written in other sizes. */
function hasBrokenRows({ scrollback, columns, modes }: TestTerminal): boolean {
  const lines = scrollback({ joined: true });
  const from = modes.alternateScreen ? 0 : lines.findLastIndex((line) => line.startsWith("──"));
  return lines.slice(from).some((line) => Bun.stringWidth(line) > columns);
}
