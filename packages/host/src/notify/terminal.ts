// How to make a terminal notify its user: the bell, or an escape sequence of its own. Pure.

import { printableSentence } from "@keelson/protocol";

type Env = Readonly<Record<string, string | undefined>>;

/** The values of `preferredNotifChannel`. */
export type TerminalChannel =
  "auto" | "terminal_bell" | "iterm2" | "iterm2_with_bell" | "kitty" | "ghostty" | "notifications_disabled";

const BELL = "\x07";

/** Empty if nothing is to be written. An unknown channel is treated as `auto`. */
export function terminalSequence(channel: string | undefined, title: string, message: string, env: Env): string {
  const [head, text] = [plain(title), plain(message)];
  switch (channel) {
    case "notifications_disabled":
      return "";
    case "terminal_bell":
      return BELL;
    case "iterm2":
      return through(`\x1b]9;${head}: ${text}${BELL}`, env);
    case "iterm2_with_bell":
      return through(`\x1b]9;${head}: ${text}${BELL}`, env) + BELL;
    case "kitty":
      return through(`\x1b]99;i=1:d=0;${head}\x1b\\\x1b]99;i=1:p=body;${text}\x1b\\`, env);
    case "ghostty":
      return through(`\x1b]777;notify;${head.replaceAll(";", ",")};${text}${BELL}`, env);
    default:
      return terminalSequence(detect(env), title, message, env);
  }
}

function detect({ TERM, TERM_PROGRAM, KITTY_WINDOW_ID }: Env): TerminalChannel {
  if (TERM_PROGRAM === "iTerm.app" || TERM_PROGRAM === "WezTerm") return "iterm2";
  if (TERM === "xterm-kitty" || KITTY_WINDOW_ID) return "kitty";
  if (TERM_PROGRAM === "ghostty" || TERM === "xterm-ghostty") return "ghostty";
  return "terminal_bell";
}

/** tmux passes on only what is wrapped for it. */
function through(sequence: string, { TMUX }: Env): string {
  return TMUX ? `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\` : sequence;
}

/** Text of a model must not end the sequence and begin another. */
const plain = printableSentence;
