// Formatting inside a line: emphasis, code and links.

import { decodeEntities } from "./entities.ts";

/** Puts the formatting round a text that is not empty. */
export type Mark = (text: string) => string;

const surround =
  (sign: string): Mark =>
  (text) =>
    `${sign}${text}${sign}`;

const code: Mark = (text) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);

export const INLINE_MARKS: Readonly<Record<string, Mark>> = {
  b: surround("**"),
  strong: surround("**"),
  i: surround("_"),
  em: surround("_"),
  del: surround("~~"),
  s: surround("~~"),
  code,
  kbd: code,
  samp: code,
  tt: code,
};

export function linkMark(attributes: ReadonlyMap<string, string>, base: string): Mark | undefined {
  const href = attributes.get("href");
  const url = href === undefined || href.startsWith("#") ? undefined : resolveLink(href, base);
  return url === undefined ? undefined : (text) => `[${text.replace(/\s+/g, " ")}](${url})`;
}

const MAX_LINK = 2_000;

/** The address in full; undefined if it is none that can be opened, or too long to be one. */
export function resolveLink(href: string, base: string): string | undefined {
  if (href.length > MAX_LINK) return undefined;
  const url = URL.parse(decodeEntities(href).trim(), base);
  return url && /^(?:https?|mailto):$/.test(url.protocol) ? url.href.replaceAll(")", "%29") : undefined;
}
