// Vim's modes over the draft. INSERT leaves everything but Esc to the prompt.

import type { Key } from "../../input/event.ts";
import { isBefore, type TextBuffer, type TextPoint } from "../text-buffer.ts";
import { offsetAtColumn, widthBetween } from "../text/line.ts";
import { type VimFind, vimMotion } from "./motions.ts";
import { parseVim, type VimCommand, type VimTarget } from "./parse.ts";
import { vimObject, type VimRange } from "./objects.ts";
import { moveToInsert, overwrite, overwriteRange, swapCase } from "./overwrite.ts";
import { lineRange, operatorRange } from "./ranges.ts";
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
      const range = operatorRange(this.#buffer, command, (...motion) => this.#motion(...motion));
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

  #lines(first: number, last: number): VimRange {
    return lineRange(this.#buffer, first, last);
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
        overwrite(buffer, count, (grapheme) => (grapheme === "" ? "" : (character ?? "")), { stay: true });
        break;
      case "~":
        overwrite(buffer, count, swapCase, { stay: false });
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
        moveToInsert(buffer, name);
        return this.#insertMode(command);
    }
    this.#change = { command, typed: [] };
    return this.#settle();
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
    else if (name === "~") overwriteRange(buffer, range.from, range.to, swapCase);
    else if (name === "p" || name === "P") {
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
