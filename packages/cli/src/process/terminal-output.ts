// What standard output gets if it is a terminal: text without anything that a terminal obeys, and the program's own
// styles. Loaded only at a terminal.

import { escapeForTerminal } from "@keelson/protocol/terminal-text";

/** Random, so that no text from elsewhere contains it. */
const MARK = crypto.randomUUID();
const MARKS = new RegExp(`${MARK}(\\d+);`, "g");

/** Stands for a style until the text is written. */
export const styleMark = (code: number) => `${MARK}${code};`;

export const forTerminal = (text: string) => escapeForTerminal(text).replace(MARKS, "\u001b[$1m");
