// Whether the terminal is light or dark, from whatever says so.

import type { TerminalReply } from "../input/event.ts";

export type Background = "dark" | "light";

/** From the answer to OSC 11 (`rgb:ffff/ffff/ffff`) or a color-scheme report (`?997;2n`). */
export function backgroundFromReply({ of, text }: TerminalReply): Background | undefined {
  if (of === "color-scheme") {
    const [scheme] = /[12](?=n?$)/.exec(text) ?? [];
    return scheme === undefined ? undefined : scheme === "2" ? "light" : "dark";
  }
  if (of !== "background") return undefined;
  const parts = /rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(text);
  const hex = /#([\da-f]{2})([\da-f]{2})([\da-f]{2})\b/i.exec(text);
  const found = parts ?? hex;
  if (!found) return undefined;
  const [red, green, blue] = found.slice(1).map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue! > 0.5 ? "light" : "dark";
}

/** From COLORFGBG, which rxvt, Konsole and others set: `15;0` is light on dark. */
export function backgroundFromEnv(env: Readonly<Record<string, string | undefined>>): Background | undefined {
  const last = env.COLORFGBG?.split(";").at(-1);
  if (last === undefined || !/^\d+$/.test(last)) return undefined;
  return [7, 9, 10, 11, 12, 13, 14, 15].includes(Number(last)) ? "light" : "dark";
}
