// For tests of panels: a theme that paints nothing, keys by name, and frames of the three sizes.

import type { ControlSubtype } from "@keelson/protocol";
import type { Key } from "../input/event.ts";
import type { Frame, View } from "../screen/view.ts";
import type { Requests } from "@keelson/client";
import type { Theme } from "../theme/theme.ts";
import { plainTheme } from "../theme/theme.test-support.ts";
import { defaultKeys } from "../widgets/key-lookup.ts";
import { width } from "../screen/rows.ts";

/** Shows styles as `<style:text>`, for tests of what is marked. */
export const namingTheme: Theme = { ...plainTheme, name: "naming", paint: (style, text) => `<${style}:${text}>` };

export { plainTheme };

export const NOW = 1_700_000_000_000;
export const keys = defaultKeys;

export function frame(columns = 80, rows = 24, theme: Theme = plainTheme): Frame {
  return { columns, rows, theme, now: NOW };
}

export const SIZES: readonly (readonly [columns: number, rows: number])[] = [
  [120, 40],
  [80, 24],
  [40, 15],
];

/** `ctrl+r`, `shift+g`, `enter`, `x`, `X`. */
export function key(spelled: string): Key {
  const parts = spelled === "+" ? ["+"] : spelled.split("+");
  const last = parts.pop()!;
  const [ctrl, alt, shift] = ["ctrl", "alt", "shift"].map((each) => parts.includes(each));
  const isCharacter = [...last].length === 1;
  const isUpper = isCharacter && last !== last.toLowerCase();
  const text = last === "space" ? " " : isCharacter ? (shift ? last.toUpperCase() : last) : undefined;
  return {
    kind: "key",
    name: last.toLowerCase(),
    ctrl: ctrl!,
    alt: alt!,
    shift: shift! || isUpper,
    ...(text === undefined || ctrl || alt ? {} : { text }),
  };
}

export function typing(text: string): readonly Key[] {
  return [...text].map((character) => key(character === " " ? "space" : character));
}

/** What a view shows, without the empty rows at its end. Fails if a row is too wide or there are too many. */
export function shown(view: View, at: Frame = frame()): string {
  const { rows } = view.render(at);
  if (rows.length > at.rows) throw new Error(`${rows.length} rows in a frame of ${at.rows}`);
  const wide = rows.find((row) => width(row) > at.columns);
  if (wide !== undefined && at.theme !== namingTheme) throw new Error(`Wider than ${at.columns}: ${wide}`);
  return rows.join("\n").trimEnd();
}

export interface Asked {
  readonly subtype: string;
  readonly fields: unknown;
}

/** Answers requests from a table; an Error in it rejects. */
export function scriptedRequests(replies: Readonly<Record<string, unknown>>): Requests & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    async request(subtype: ControlSubtype, fields: unknown = {}): Promise<any> {
      asked.push({ subtype, fields });
      if (!(subtype in replies)) throw new Error(`Unsupported control request subtype: ${subtype}`);
      const reply = replies[subtype];
      const value: unknown = typeof reply === "function" ? reply(fields) : reply;
      if (value instanceof Error) throw value;
      return value;
    },
  };
}

/** Lets what was promised happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** The same keys for the same seed. */
export function randomKeys(seed: number, count: number): readonly Key[] {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  return Array.from({ length: count }, () => key(KEYS[next(KEYS.length)]!));
}

const KEYS = [
  ..."abdefgjknqrstux/[]? 1234567",
  ..."GN漢👍",
  "up",
  "down",
  "left",
  "right",
  "home",
  "end",
  "pageup",
  "pagedown",
  "enter",
  "tab",
  "shift+tab",
  "space",
  "backspace",
  "delete",
  "ctrl+a",
  "ctrl+b",
  "ctrl+d",
  "ctrl+e",
  "ctrl+r",
  "ctrl+u",
  "ctrl+w",
  "alt+b",
  "shift+g",
  "shift+n",
  "escape",
].map((each) => (each === " " ? "space" : each));
