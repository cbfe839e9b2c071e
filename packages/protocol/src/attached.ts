// Texts that someone attached to a prompt: labelled blocks in it. They are content to work with, never the user's own words: they
// mention no files, and say nothing about what the user wants.

import { cutText } from "./cut-text.ts";
import { withoutReminderTags } from "./reminder.ts";

const BLOCK = /\n*<attached uri="([^"\n]*)">\n([\s\S]*?)\n<\/attached>\n*/g;

/** The text can neither end its block nor open or close a reminder. */
export function attachedText(uri: string, text: string): string {
  const inner = withoutReminderTags(text).replaceAll("</attached", "<\\/attached");
  return `\n\n<attached uri="${escaped(uri)}">\n${inner}\n</attached>\n\n`;
}

export interface AttachedBlock {
  readonly uri: string;
  readonly text: string;
}

/** What the user wrote, and between it what was attached, in order. */
export function splitAttached(text: string): readonly (string | AttachedBlock)[] {
  const parts: (string | AttachedBlock)[] = [];
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    const [whole, uri = "", content = ""] = match;
    parts.push(text.slice(end, match.index));
    parts.push({ uri: unescaped(uri), text: content.replaceAll("<\\/attached", "</attached") });
    end = match.index + whole.length;
  }
  return [...parts, text.slice(end)];
}

/** The user's own words in a prompt. */
export const withoutAttached = (text: string): string =>
  text.includes("<attached ") ? text.replaceAll(BLOCK, "\n\n(a text that is attached)\n\n") : text;

const LONGEST_TITLE = 200;

/** What the user wrote in a prompt, as the title of the session: one line. */
export function promptTitle(prompt: string): string {
  const own = splitAttached(prompt).filter((part) => typeof part === "string");
  const line = own.join(" ").replace(/\s+/g, " ").trim();
  return line.length <= LONGEST_TITLE ? line : `${cutText(line, LONGEST_TITLE).trimEnd()}…`;
}

const escaped = (uri: string) =>
  uri.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("\r", "").replaceAll("\n", "&#10;");

const unescaped = (uri: string) => uri.replaceAll("&#10;", "\n").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
