// Texts that an editor attached to a prompt. They stand in it in a labelled block; a session that is loaded shows them as
// what they were.

import type { ContentPart } from "../schema/types.ts";

const BLOCK = /\n*<attached uri="([^"\n]*)">\n([\s\S]*?)\n<\/attached>\n*/g;

/** The text cannot end its block: its own end tags are changed. */
export function attachedText(uri: string, text: string): string {
  return `\n\n<attached uri="${escaped(uri)}">\n${text.replaceAll("</attached", "<\\/attached")}\n</attached>\n\n`;
}

export function attachedIn(text: string): readonly ContentPart[] {
  const parts: ContentPart[] = [];
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    parts.push(...textParts(text.slice(end, match.index)));
    const [whole, uri = "", content = ""] = match;
    const attached = content.replaceAll("<\\/attached", "</attached");
    parts.push({ type: "resource", resource: { uri: unescaped(uri), text: attached } });
    end = match.index + whole.length;
  }
  return [...parts, ...textParts(text.slice(end))];
}

const textParts = (text: string): ContentPart[] => (text.trim() === "" ? [] : [{ type: "text", text }]);

const escaped = (uri: string) =>
  uri.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("\r", "").replaceAll("\n", "&#10;");

const unescaped = (uri: string) => uri.replaceAll("&#10;", "\n").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
