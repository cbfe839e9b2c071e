// Parses a JavaScript regular expression into a tree. The source must be valid for `new RegExp`. Undefined if it cannot
// be matched in linear time (back references) or uses syntax we do not know.

export type Node =
  | { readonly kind: "character"; readonly test: (character: string) => boolean }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "choice"; readonly branches: readonly Node[] }
  | { readonly kind: "repeat"; readonly item: Node; readonly least: number; readonly most: number }
  | { readonly kind: "edge"; readonly edge: Edge }
  | { readonly kind: "look"; readonly behind: boolean; readonly negated: boolean; readonly item: Node };

export type Edge = "start" | "end" | "word" | "inner";

interface Reader {
  readonly source: string;
  readonly unicode: boolean;
  at: number;
  depth: number;
}

const DEEPEST = 200;

export function parseRegex(source: string, { unicode }: { readonly unicode: boolean }): Node | undefined {
  const reader: Reader = { source, unicode, at: 0, depth: 0 };
  const node = choice(reader);
  return reader.at === source.length ? node : undefined;
}

function choice(reader: Reader): Node | undefined {
  const branches: Node[] = [];
  do {
    const branch = sequence(reader);
    if (branch === undefined) return undefined;
    branches.push(branch);
  } while (take(reader, "|"));
  return branches.length === 1 ? branches[0] : { kind: "choice", branches };
}

function sequence(reader: Reader): Node | undefined {
  const items: Node[] = [];
  for (let next = reader.source[reader.at]; next !== undefined && next !== "|" && next !== ")";) {
    const item = term(reader);
    if (item === undefined) return undefined;
    items.push(repeated(item, reader));
    next = reader.source[reader.at];
  }
  return { kind: "sequence", items };
}

function term(reader: Reader): Node | undefined {
  switch (reader.source[reader.at]) {
    case "^":
      reader.at++;
      return { kind: "edge", edge: "start" };
    case "$":
      reader.at++;
      return { kind: "edge", edge: "end" };
    case "(":
      return group(reader);
    case "\\":
      return escape(reader);
    case "[":
      return single(reader, classLength(reader));
    case ".":
      return single(reader, 1);
    default: {
      const literal = characterAt(reader, reader.at);
      reader.at += literal.length;
      return { kind: "character", test: (character) => character === literal };
    }
  }
}

function group(reader: Reader): Node | undefined {
  // A group name may contain letters of any script; a modifier such as `(?i:` changes what characters mean.
  const opening = /^\((?:\?(?:(<?)([=!])|:|<(?![=!])[^>]*>)|(?!\?))/.exec(
    reader.source.slice(reader.at, reader.at + 256),
  );
  if (opening === null || ++reader.depth > DEEPEST) return undefined;
  reader.at += opening[0].length;
  const item = choice(reader);
  reader.depth--;
  if (item === undefined || !take(reader, ")")) return undefined;
  const [, behind, look] = opening;
  return look === undefined ? item : { kind: "look", behind: behind === "<", negated: look === "!", item };
}

/** Only escapes for single characters; `\1` and `\k<n>` are back references. */
function escape(reader: Reader): Node | undefined {
  const rest = reader.source.slice(reader.at, reader.at + 64);
  if (rest[1] === "b" || rest[1] === "B") {
    reader.at += 2;
    return { kind: "edge", edge: rest[1] === "b" ? "word" : "inner" };
  }
  if (/^\\(?:[1-9k]|0\d)/.test(rest)) return undefined;
  const found = (reader.unicode ? UNICODE_ESCAPE : ESCAPE).exec(rest);
  if (found) return single(reader, found[0].length);
  const literal = characterAt(reader, reader.at + 1);
  if (literal === "") return undefined;
  reader.at += 1 + literal.length;
  return { kind: "character", test: (character) => character === literal };
}

const ESCAPE = /^\\(?:[dDwWsStnvfr0]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4})/;
const UNICODE_ESCAPE =
  /^\\(?:u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2}|u\{[\dA-Fa-f]+\}|[pP]\{[^}]*\}|[dDwWsStnvfr0]|c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4})/;

/** Tests single characters with the real regular expression, which cannot take long. */
function single(reader: Reader, length: number): Node | undefined {
  const source = reader.source.slice(reader.at, reader.at + length);
  reader.at += length;
  const pattern = new RegExp(`^${source}$`, reader.unicode ? "u" : "");
  const known = new Map<string, boolean>();
  return {
    kind: "character",
    test(character) {
      const before = known.get(character);
      if (before !== undefined) return before;
      const now = pattern.test(character);
      known.set(character, now);
      return now;
    },
  };
}

function classLength({ source, at }: Reader): number {
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === "\\") end++;
    else if (source[end] === "]") return end + 1 - at;
  }
  return source.length - at;
}

/** Whether a quantifier is greedy does not matter for whether something matches. */
function repeated(item: Node, reader: Reader): Node {
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at, reader.at + 64));
  if (found === null) return item;
  reader.at += found[0].length;
  const [text, from, comma, to] = found;
  if (from === undefined) {
    return { kind: "repeat", item, least: text.startsWith("+") ? 1 : 0, most: text.startsWith("?") ? 1 : Infinity };
  }
  const least = Number(from);
  return { kind: "repeat", item, least, most: comma === "" ? least : to === "" ? Infinity : Number(to) };
}

function characterAt({ source, unicode }: Reader, at: number): string {
  const code = unicode ? source.codePointAt(at) : source.charCodeAt(at);
  return at < source.length ? String.fromCodePoint(code!) : "";
}

function take(reader: Reader, sign: string): boolean {
  if (reader.source[reader.at] !== sign) return false;
  reader.at++;
  return true;
}
