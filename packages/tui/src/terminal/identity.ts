// Which terminal this is, as far as it matters: by its environment, and by its answers.

import type { TerminalReply } from "../input/event.ts";
import type { Reflow } from "../screen/live/reflow.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Programs that show xterm.js in a window. */
const XTERM_JS = new Set(["vscode", "hyper", "tabby"]);

/** How the terminal wraps rows when the window gets narrower, as far as the environment tells. */
export function reflowFromEnv(env: Env): Reflow {
  if (env.TMUX) return "tracked";
  if (XTERM_JS.has((env.TERM_PROGRAM ?? "").toLowerCase())) return "xterm.js";
  return /^(?:linux|screen|rxvt|eterm|vt\d|ansi|cons25)/.test(env.TERM ?? "") ? "none" : "tracked";
}

/** The same from the terminal's answer. Undefined if that does not tell. */
export function reflowFromReply({ of, text }: TerminalReply): Reflow | undefined {
  if (of === "version") {
    if (/xterm\.js/i.test(text)) return "xterm.js";
    // The original one, which cuts rows off.
    if (/^\W*xterm\b/i.test(text)) return "none";
    return /tmux|kitty|wezterm|ghostty|iterm|foot|vte|konsole|contour/i.test(text) ? "tracked" : undefined;
  }
  if (of !== "attributes") return undefined;
  // Secondary attributes. 41 is xterm, 83 GNU screen.
  if (/(?:^|\D)0;276;0(?:\D|$)/.test(text)) return "xterm.js";
  return /(?:^|>)(?:41|83);/.test(text) ? "none" : undefined;
}
