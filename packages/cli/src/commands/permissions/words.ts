// Wording shared by the commands: verdicts, rules and their places, shortened paths, colors on a terminal.

import { relative } from "node:path";
import type { Rule, Verdict } from "@keelson/runtime/explain";
import type { ProcessIO } from "../../process/process-io.ts";

export interface Palette {
  verdict(verdict: Verdict, text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

/** Colors only on a terminal, and never with NO_COLOR (no-color.org). */
export function paletteFor({
  terminal,
  env,
  style = sequence,
}: Pick<ProcessIO, "terminal" | "env" | "style">): Palette {
  const plain = !terminal.stdout || Boolean(env["NO_COLOR"]);
  const paint = (code: number) => (text: string) => (plain ? text : `${style(code)}${text}${style(0)}`);
  const colors = { allow: paint(32), ask: paint(33), deny: paint(31) };
  return { verdict: (verdict, text) => colors[verdict](text), dim: paint(2), bold: paint(1) };
}

const sequence = (code: number) => `\u001b[${code}m`;

export const MARK: Readonly<Record<Verdict, string>> = { allow: "✓", ask: "?", deny: "✗" };

/** Shortens a path: relative to the folder, or with `~`. */
export type Shorten = (path: string) => string;

export function shortenFrom(cwd: string, home: string): Shorten {
  return (path) => {
    const inside = relative(cwd, path);
    if (inside !== "" && inside !== ".." && !inside.startsWith("../")) return visible(inside);
    return visible(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  };
}

/** `.claude/settings.json:4`, or the flag that set it. */
export function placeOfRule({ file, line, source, behavior }: Rule, short: Shorten): string {
  if (file !== undefined) return line === undefined ? short(file) : `${short(file)}:${line}`;
  if (source === "cliArg") return behavior === "allow" ? "--allowedTools" : "--disallowedTools";
  return source === "session" ? "this session" : "--settings";
}

export const SOURCES: Readonly<Record<Rule["source"], string>> = {
  policySettings: "managed settings",
  cliArg: "command line",
  flagSettings: "--settings",
  localSettings: "local settings",
  projectSettings: "project settings",
  userSettings: "user settings",
  session: "this session",
  command: "a skill or command in use",
};

/** Spells out characters that a hostile command or file name could use to hide text or control the terminal. */
export function visible(text: string): string {
  return text.replaceAll("\n", "⏎").replaceAll(HIDDEN, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`);
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0]/gu;

/** One line, cut to a width. */
export function oneLine(text: string, most = 100): string {
  const flat = visible(text);
  return flat.length > most ? `${flat.slice(0, most - 1)}…` : flat;
}

/** The text as one word of a shell command. */
export const shellWord = (text: string) => (/^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
