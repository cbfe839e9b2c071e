// Vim's modes over the draft. INSERT leaves everything but Esc to the prompt.

import type { Key } from "../../input/event.ts";
import { isBefore, type TextBuffer, type TextPoint } from "../text-buffer.ts";
import { offsetAtColumn, widthBetween } from "../text/line.ts";
import { firstNonBlank, graphemeAt, type VimFind, vimMotion } from "./motions.ts";
import { isLineNumber, parseVim, type VimCommand, type VimTarget } from "./parse.ts";
import { vimObject, type VimRange } from "./objects.ts";
import { applyOperator, joinWithNext, putRegister, type VimRegister } from "./operators.ts";

export type VimMode = "INSERT" | "NORMAL" | "VISUAL" | "VISUAL LINE";

export type VimOutcome =
  /** Not for vim: the prompt takes the key. */
  | "pass"
  | "done"
  /** `k` on the first line, `j` on the last. */
  | "older"
  | "newer"
  | "search"
  | "shortcuts";

/** A change that `.` does again: the command, and what was typed after it. */
interface Change {
  readonly command: VimCommand;
  typed: Key[];
}

export class Vim {
  readonly #buffer: TextBuffer;
  /** Types a key as INSERT does; for `.`. */
  readonly #type: (key: Key) => void;
  #mode: VimMode = "INSERT";
  #keys: string[] = [];
  #anchor: TextPoint = { line: 0, offset: 0 };
  #register: VimRegister | undefined;
  #find: VimFind | undefined;
  #change: Change | undefined;
  /** The change whose text is being typed. */
  #typing: Change | undefined;
  #goal: number | undefined;

  constructor(buffer: TextBuffer, type: (key: Key) => void) {
    this.#buffer = buffer;
    this.#type = type;
  }

  get mode(): VimMode {
    return this.#mode;
  }

  /** A new draft: INSERT again. */
  reset(): void {
    this.#mode = "INSERT";
    this.#keys = [];
    this.#typing = undefined;
  }

  /** What is selected, in VISUAL. */
  selection(): { from: TextPoint; to: TextPoint } | undefined {
    if (this.#mode !== "VISUAL" && this.#mode !== "VISUAL LINE") return undefined;
    const { from, to } = this.#selected();
    return { from, to };
  }

  take(key: Key): VimOutcome {
    if (this.#mode === "INSERT") return this.#insertKey(key);
    if (key.name === "escape") return this.#escape();
    if (key.ctrl && key.name === "r") {
      this.#buffer.redo();
      return this.#settle();
    }
    if (key.name === "backspace" && !key.ctrl && !key.alt) return this.#normal("h");
    if (key.name === "left" || key.name === "right") return this.#normal(key.name === "left" ? "h" : "l");
    if (key.text === undefined || key.ctrl || key.alt) {
      this.#keys = [];
      return "pass";
    }
    return this.#normal(key.text);
  }

  /** After the prompt moved the cursor: in NORMAL it is on a character. */
  settle(): void {
    if (this.#mode !== "INSERT") this.#settle();
  }

  #insertKey(key: Key): VimOutcome {
    if (key.name !== "escape" || key.ctrl || key.alt) {
      this.#typing?.typed.push(key);
      return "pass";
    }
    this.#typing = undefined;
    this.#mode = "NORMAL";
    if (this.#buffer.cursor.offset > 0) this.#buffer.moveTo(this.#buffer.leftOf(this.#buffer.cursor));
    return this.#settle();
  }

  #escape(): VimOutcome {
    // Nothing to leave: Esc is for the prompt.
    if (this.#mode === "NORMAL" && this.#keys.length === 0) return "pass";
    this.#keys = [];
    this.#mode = "NORMAL";
    return this.#settle();
  }

  #normal(key: string): VimOutcome {
    this.#keys.push(key);
    const command = parseVim(this.#keys, this.#mode !== "NORMAL");
    if (command === "more") return "done";
    this.#keys = [];
    return command === "unknown" ? "done" : this.#run(command);
  }

  #run(command: VimCommand): VimOutcome {
    if (command.kind === "move") return this.#move(command.target, command.count);
    if (command.kind === "operator") {
      const range = this.#rangeOf(command.target, command.count, command.operator);
      if (range) this.#operate(command.operator, range, command);
      return this.#settle();
    }
    return this.#mode === "NORMAL" ? this.#simple(command) : this.#visual(command);
  }

  #move(target: VimTarget, count: number | undefined): VimOutcome {
    if (target.kind === "object") {
      const range = vimObject(this.#buffer, target.name, target.around);
      if (range && isBefore(range.from, range.to)) {
        this.#anchor = range.from;
        this.#buffer.moveTo(this.#buffer.leftOf(range.to));
      }
      return "done";
    }
    if (target.kind === "line") return "done";
    if (target.name === "j" || target.name === "k") return this.#vertical(target.name === "j" ? 1 : -1, count ?? 1);
    this.#goal = undefined;
    const motion = this.#motion(target.name, count ?? 0, target.character);
    if (motion) this.#buffer.moveTo(motion.to);
    if (target.name === "$") this.#goal = Number.POSITIVE_INFINITY;
    return this.#settle();
  }

  #vertical(direction: 1 | -1, count: number): VimOutcome {
    const { line, offset } = this.#buffer.cursor;
    const target = Math.max(0, Math.min(line + direction * count, this.#buffer.lines.length - 1));
    if (target === line) {
      if (this.#mode !== "NORMAL") return "done";
      return direction > 0 ? "newer" : "older";
    }
    const goal = this.#goal ?? widthBetween(this.#buffer.lineText(line), 0, offset);
    const text = this.#buffer.lineText(target);
    this.#buffer.moveTo({ line: target, offset: offsetAtColumn(text, 0, text.length, goal) });
    this.#settle();
    this.#goal = goal;
    return "done";
  }

  #motion(name: string, count: number, character: string | undefined): ReturnType<typeof vimMotion> {
    if (character !== undefined) this.#find = { name, character };
    return vimMotion(this.#buffer, name, count, character, this.#find);
  }

  /** What an operator takes. */
  #rangeOf(target: VimTarget, count: number, operator: string): VimRange | undefined {
    const from = this.#buffer.cursor;
    if (target.kind === "object") return vimObject(this.#buffer, target.name, target.around);
    if (target.kind === "line") return this.#lines(from.line, from.line + count - 1);
    if (target.name === "j" || target.name === "k") {
      const other = from.line + (target.name === "j" ? count : -count);
      if (other < 0 || other >= this.#buffer.lines.length) return undefined;
      return this.#lines(Math.min(from.line, other), Math.max(from.line, other));
    }
    // `cw` on a word changes the word, not the space behind it.
    const onWord = /^\S/u.test(graphemeAt(this.#buffer, from));
    const name =
      operator === "c" && onWord && /^w$/i.test(target.name) ? (target.name === "w" ? "e" : "E") : target.name;
    const motion = this.#motion(name, isLineNumber(name) ? count : Math.max(1, count), target.character);
    if (!motion) return undefined;
    if (motion.linewise) return this.#lines(Math.min(from.line, motion.to.line), Math.max(from.line, motion.to.line));
    const [start, last] = isBefore(motion.to, from) ? [motion.to, from] : [from, motion.to];
    let to = motion.inclusive ? this.#buffer.rightOf(last) : last;
    if (motion.inclusive && to.line > last.line) to = last;
    // A word motion takes no line break with it.
    if (/^w$/i.test(name) && to.line > start.line && to.offset <= firstNonBlank(this.#buffer, to.line).offset) {
      to = { line: to.line - 1, offset: this.#buffer.lineText(to.line - 1).length };
      if (isBefore(to, start)) to = start;
    }
    // `w` on the last word of the text ends on its last character.
    if (/^w$/i.test(name) && motion.to.line === this.#buffer.end.line && motion.to.offset === this.#buffer.end.offset)
      to = motion.to;
    return { from: start, to, linewise: false };
  }

  #lines(first: number, last: number): VimRange {
    const line = Math.min(last, this.#buffer.lines.length - 1);
    return {
      from: { line: first, offset: 0 },
      to: { line, offset: this.#buffer.lineText(line).length },
      linewise: true,
    };
  }

  #operate(operator: string, range: VimRange, command: VimCommand | undefined): void {
    const text = applyOperator(this.#buffer, operator, range);
    if (operator === "d" || operator === "c" || operator === "y") this.#register = { text, linewise: range.linewise };
    if (operator === "c") this.#insertMode(command);
    else if (operator !== "y" && command) this.#change = { command, typed: [] };
  }

  /** Starts INSERT. With a command, what is typed now belongs to it. */
  #insertMode(command: VimCommand | undefined): VimOutcome {
    this.#mode = "INSERT";
    this.#typing = command && { command, typed: [] };
    if (this.#typing) this.#change = this.#typing;
    return "done";
  }

  #simple(command: VimCommand & { kind: "simple" }): VimOutcome {
    const { name, count = 1, character } = command;
    const buffer = this.#buffer;
    const { cursor } = buffer;
    this.#goal = undefined;
    switch (name) {
      case "x":
      case "X":
      case "s": {
        const motion = this.#motion(name === "X" ? "h" : "l", count, undefined);
        const to = motion?.to ?? cursor;
        const range = isBefore(to, cursor) ? { from: to, to: cursor } : { from: cursor, to };
        this.#operate(name === "s" ? "c" : "d", { ...range, linewise: false }, command);
        return this.#settle();
      }
      case "D":
      case "C":
        this.#operate(name.toLowerCase(), { from: cursor, to: buffer.lineEnd(), linewise: false }, command);
        return this.#settle();
      case "S":
        this.#operate("c", this.#lines(cursor.line, cursor.line + count - 1), command);
        return "done";
      case "Y":
        this.#operate("y", this.#lines(cursor.line, cursor.line + count - 1), command);
        return "done";
      case "p":
      case "P":
        if (this.#register) putRegister(buffer, this.#register, name === "p", count);
        break;
      case "J":
        joinWithNext(buffer, cursor.line, Math.max(2, count));
        break;
      case "r":
        this.#overwrite(count, (grapheme) => (grapheme === "" ? "" : (character ?? "")), true);
        break;
      case "~":
        this.#overwrite(count, swapCase, false);
        break;
      case "u":
        for (let time = 0; time < count; time += 1) buffer.undo();
        return this.#settle();
      case ".":
        return this.#again(count);
      case "v":
      case "V":
        this.#anchor = cursor;
        this.#mode = name === "v" ? "VISUAL" : "VISUAL LINE";
        return "done";
      case "/":
        return "search";
      case "?":
        return "shortcuts";
      default:
        return this.#enterInsert(command);
    }
    this.#change = { command, typed: [] };
    return this.#settle();
  }

  /** i I a A o O */
  #enterInsert(command: VimCommand & { kind: "simple" }): VimOutcome {
    const buffer = this.#buffer;
    const { line } = buffer.cursor;
    switch (command.name) {
      case "I":
        buffer.moveTo(firstNonBlank(buffer, line));
        break;
      case "a":
        if (buffer.cursor.offset < buffer.lineEnd().offset) buffer.moveTo(buffer.rightOf(buffer.cursor));
        break;
      case "A":
        buffer.moveTo(buffer.lineEnd());
        break;
      case "o":
        buffer.moveTo(buffer.lineEnd());
        buffer.insert("\n");
        break;
      case "O":
        buffer.moveTo(buffer.lineStart());
        buffer.insert("\n");
        buffer.moveTo({ line, offset: 0 });
        break;
    }
    return this.#insertMode(command);
  }

  #visual(command: VimCommand & { kind: "simple" }): VimOutcome {
    const { name } = command;
    const buffer = this.#buffer;
    if (name === "o") {
      const { cursor } = buffer;
      buffer.moveTo(this.#anchor);
      this.#anchor = cursor;
      return "done";
    }
    if (name === "v" || name === "V") {
      const mode = name === "v" ? "VISUAL" : "VISUAL LINE";
      this.#mode = this.#mode === mode ? "NORMAL" : mode;
      return "done";
    }
    const whole = /[XDCSY]/.test(name);
    const selected = this.#selected();
    const range = whole ? this.#lines(selected.from.line, selected.to.line) : selected;
    this.#mode = "NORMAL";
    if (name === "J") joinWithNext(buffer, range.from.line, Math.max(2, range.to.line - range.from.line + 1));
    else if (name === "~") {
      buffer.moveTo(range.from);
      buffer.replace(range.from, range.to, mapGraphemes(buffer.slice(range.from, range.to), swapCase));
      buffer.moveTo(range.from);
    } else if (name === "p" || name === "P") {
      const register = this.#register;
      this.#operate("d", range, undefined);
      if (register) putRegister(buffer, register, false, 1);
    } else {
      const operator = /[dxXD]/.test(name) ? "d" : /[csCS]/.test(name) ? "c" : /[yY]/.test(name) ? "y" : name;
      this.#operate(operator, range, undefined);
    }
    return this.#settle();
  }

  #selected(): VimRange {
    const { cursor } = this.#buffer;
    const [from, last] = isBefore(cursor, this.#anchor) ? [cursor, this.#anchor] : [this.#anchor, cursor];
    if (this.#mode === "VISUAL LINE") return this.#lines(from.line, last.line);
    return { from, to: this.#buffer.rightOf(last), linewise: false };
  }

  /** Replaces characters of the line by others. */
  #overwrite(count: number, change: (grapheme: string) => string, stay: boolean): void {
    const buffer = this.#buffer;
    const { cursor } = buffer;
    let to = cursor;
    for (let time = 0; time < count && to.offset < buffer.lineEnd().offset; time += 1) to = buffer.rightOf(to);
    buffer.replace(cursor, to, mapGraphemes(buffer.slice(cursor, to), change));
    if (stay) buffer.moveTo(buffer.cursor.offset > cursor.offset ? buffer.leftOf(buffer.cursor) : cursor);
  }

  #again(count: number): VimOutcome {
    const change = this.#change;
    if (!change) return "done";
    for (let time = 0; time < count; time += 1) {
      this.#run(change.command);
      if (this.#mode !== "INSERT") continue;
      this.#typing = undefined;
      for (const key of change.typed) this.#type(key);
      this.#mode = "NORMAL";
      if (this.#buffer.cursor.offset > 0) this.#buffer.moveTo(this.#buffer.leftOf(this.#buffer.cursor));
    }
    this.#change = change;
    return this.#settle();
  }

  #settle(): VimOutcome {
    const { cursor } = this.#buffer;
    const isPast = cursor.offset > 0 && cursor.offset >= this.#buffer.lineEnd().offset;
    if (this.#mode === "NORMAL" && isPast) this.#buffer.moveTo(this.#buffer.leftOf(cursor));
    return "done";
  }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function mapGraphemes(text: string, change: (grapheme: string) => string): string {
  return Array.from(segmenter.segment(text), ({ segment }) => (segment === "\n" ? segment : change(segment))).join("");
}

function swapCase(grapheme: string): string {
  const upper = grapheme.toUpperCase();
  return grapheme === upper ? grapheme.toLowerCase() : upper;
}
