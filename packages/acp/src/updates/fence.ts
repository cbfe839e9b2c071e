// Text that must show as it is, in Markdown.

/** In a fence that is longer than any inside. */
export function fencedText(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** What a slash command printed: Markdown, or columns, which Markdown would run together. */
export function commandOutput(text: string): string {
  const isInColumns = /^(?!\s*[-*+#>|]).*\S {2,}\S/m.test(text) && !/^\s*(?:```|\|)/m.test(text);
  return isInColumns ? fencedText(text) : text;
}
