// A terminal without a window: xterm.js, the modes a program switched on, and the answers to its questions. It knows
// bytes and cells, not the program.

import { Terminal as Emulated } from "@xterm/headless";

export interface TerminalModes {
  readonly bracketedPaste: boolean;
  readonly focus: boolean;
  /** Reports of light and dark, 2031. */
  readonly colorScheme: boolean;
  readonly alternateScreen: boolean;
  readonly mouse: boolean;
  readonly applicationKeys: boolean;
  /** Kitty keyboard flags pushed and not popped. */
  readonly kitty: number;
  readonly modifyOtherKeys: boolean;
  /** Synchronized output that was begun and not ended. */
  readonly synchronized: boolean;
}

export interface EmulatorOptions {
  readonly columns: number;
  readonly rows: number;
  readonly scrollback: number;
  /** What OSC 11 answers; "#000000" if absent. */
  readonly background?: string;
  /** Answers `CSI ? u`, as a terminal with the kitty keyboard protocol does. */
  readonly kitty?: boolean;
  /** A terminal that answers no question. */
  readonly silent?: boolean;
}

export interface Emulator {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
  readonly cursorVisible: boolean;
  readonly modes: TerminalModes;
  /** Calls back when the text is on the screen. */
  write(text: string, done: () => void): void;
  /** What goes to the program. */
  onReply(listener: (text: string) => void): void;
  resize(columns: number, rows: number): void;
  /** The visible rows, without spaces at their ends. */
  screen(): string[];
  /** All rows, the history above the screen first. With `joined`, rows that the terminal broke are one line. */
  scrollback(options?: { readonly joined?: boolean }): string[];
  /** On the screen, from 0. */
  cursor(): { row: number; column: number };
  dispose(): void;
}

export function makeEmulator({
  columns,
  rows,
  scrollback,
  background = "#000000",
  ...options
}: EmulatorOptions): Emulator {
  const emulated = new Emulated({ cols: columns, rows, scrollback, allowProposedApi: true });
  let title = "";
  let cursorVisible = true;
  let colorScheme = false;
  let kitty = 0;
  let modifyOtherKeys = false;
  let reply = (_text: string) => {};
  const answer = (text: string) => {
    if (!options.silent) reply(text);
  };

  emulated.onTitleChange((text) => (title = text));
  emulated.onData(answer);
  const { parser } = emulated;
  const onMode = (on: boolean) => (params: readonly (number | number[])[]) => {
    if (params.includes(25)) cursorVisible = on;
    if (params.includes(2031)) colorScheme = on;
    return false;
  };
  parser.registerCsiHandler({ prefix: "?", final: "h" }, onMode(true));
  parser.registerCsiHandler({ prefix: "?", final: "l" }, onMode(false));
  parser.registerCsiHandler({ prefix: ">", final: "u" }, () => (kitty++, true));
  parser.registerCsiHandler({ prefix: "<", final: "u" }, ([count]) => {
    kitty = Math.max(0, kitty - (typeof count === "number" && count > 0 ? count : 1));
    return true;
  });
  parser.registerCsiHandler({ prefix: "?", final: "u" }, () => {
    if (options.kitty) answer("\x1b[?0u");
    return true;
  });
  parser.registerCsiHandler({ prefix: ">", final: "m" }, ([which, value]) => {
    if (which === 4) modifyOtherKeys = typeof value === "number" && value > 0;
    return true;
  });
  parser.registerCsiHandler({ prefix: ">", final: "q" }, () => (answer("\x1bP>|xterm.js(6.0.0)\x1b\\"), true));
  parser.registerOscHandler(11, (text) => {
    if (text === "?") answer(`\x1b]11;${xColor(background)}\x1b\\`);
    return true;
  });

  const row = (at: number) => emulated.buffer.active.getLine(at)?.translateToString(true) ?? "";
  return {
    get columns() {
      return emulated.cols;
    },
    get rows() {
      return emulated.rows;
    },
    get title() {
      return title;
    },
    get cursorVisible() {
      return cursorVisible;
    },
    get modes() {
      const { modes, buffer } = emulated;
      return {
        bracketedPaste: modes.bracketedPasteMode,
        focus: modes.sendFocusMode,
        colorScheme,
        alternateScreen: buffer.active.type === "alternate",
        mouse: modes.mouseTrackingMode !== "none",
        applicationKeys: modes.applicationCursorKeysMode || modes.applicationKeypadMode,
        kitty,
        modifyOtherKeys,
        synchronized: modes.synchronizedOutputMode,
      };
    },
    write: (text, done) => emulated.write(text, done),
    onReply: (listener) => void (reply = listener),
    resize: (newColumns, newRows) => emulated.resize(newColumns, newRows),
    screen: () => Array.from({ length: emulated.rows }, (_, at) => row(emulated.buffer.active.baseY + at)),
    scrollback({ joined = false } = {}) {
      const { active } = emulated.buffer;
      if (!joined) return Array.from({ length: active.length }, (_, at) => row(at));
      const lines: string[] = [];
      for (let at = 0; at < active.length; at++) {
        const line = active.getLine(at)!;
        const continues = at + 1 < active.length && active.getLine(at + 1)!.isWrapped;
        const text = line.translateToString(!continues);
        if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
        else lines.push(text);
      }
      return lines;
    },
    cursor: () => ({ row: emulated.buffer.active.cursorY, column: emulated.buffer.active.cursorX }),
    dispose: () => emulated.dispose(),
  };
}

/** `#1e1e1e` as a terminal writes it: `rgb:1e1e/1e1e/1e1e`. */
function xColor(hex: string): string {
  return `rgb:${[1, 3, 5].map((at) => hex.slice(at, at + 2).repeat(2)).join("/")}`;
}
