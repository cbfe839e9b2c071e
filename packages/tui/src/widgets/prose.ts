// Sentences of our own, wrapped at words without the spaces between rows.

export function prose(text: string, columns: number): string[] {
  return Bun.wrapAnsi(text, Math.max(1, columns), { hard: true, wordWrap: true, trim: true }).split("\n");
}
