// `*` in rule texts, and whether two file name patterns overlap. Bounded work; rules are never turned into regular
// expressions.

/** `*` matches any text, including spaces and newlines. */
export function wildcard(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  if (pieces.length === 1) return pattern === text;
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** Work that remains; shared by comparisons that belong together. */
export interface MatchEffort {
  left: number;
}

/**
 * True if some name could match both patterns (`*`, `?`, brackets treated as `?`, backslash escapes), or the effort ran
 * out.
 */
export function overlap(left: string, right: string, effort: MatchEffort): boolean {
  if ((effort.left -= (left.length + 1) * (right.length + 1)) < 0) return true;
  const a = symbols(left);
  const b = symbols(right);
  let row = new Array<boolean>(b.length + 1).fill(false);
  row[0] = true;
  for (let j = 0; j < b.length; j++) row[j + 1] = row[j]! && b[j] === "*";
  for (const symbol of a) {
    const next = new Array<boolean>(b.length + 1).fill(false);
    next[0] = row[0]! && symbol === "*";
    for (let j = 0; j < b.length; j++) {
      const other = b[j]!;
      if (symbol === "*") next[j + 1] = row[j + 1]! || next[j]!;
      else if (other === "*") next[j + 1] = row[j + 1]! || next[j]!;
      else next[j + 1] = row[j]! && (symbol === other || symbol === "?" || other === "?");
    }
    row = next;
  }
  return row[b.length]!;
}

/** One entry per character; `*` and `?` keep their meaning, escaped ones keep their backslash. */
function symbols(pattern: string): string[] {
  const found = pattern.match(/\\.|\[[^\]]+\]|[\s\S]/g) ?? [];
  return found.map((symbol) => {
    if (symbol.length > 1 && symbol.startsWith("[")) return "?";
    if (symbol.startsWith("\\")) return /[*?]/.test(symbol[1] ?? "") ? symbol : (symbol[1] ?? "\\");
    return symbol.toLowerCase();
  });
}
