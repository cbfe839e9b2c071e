// Matches globs in time proportional to pattern times path, whatever the pattern: it may come from an untrusted folder.
// `*`, `?` and brackets stay within a name; a segment of two or more stars matches any number of names.

import { readBracket, type TestCharacter } from "./bracket.ts";

export interface GlobOptions {
  /** Names passed to `matchDepths` must then be lower case. */
  readonly ignoreCase: boolean;
}

/** A whole pattern, one segment per name. */
export interface Glob {
  readonly segments: readonly Segment[];
  /** The smallest number of names a match has. */
  readonly least: number;
}

type Segment = NamePattern | typeof GLOBSTAR;
const GLOBSTAR = "**";

interface NamePattern {
  /** Set when the name has no wildcards. */
  readonly literal?: string;
  /** The parts between the stars. */
  readonly pieces: readonly Piece[];
  /** The smallest number of characters a match has. */
  readonly least: number;
}

interface Piece {
  /** One entry per character. */
  readonly characters: readonly (string | TestCharacter)[];
  /** The same as text, if every entry is a literal character. */
  readonly text?: string;
}

/** Undefined when nothing can match: an unclosed bracket, a trailing backslash, or an empty pattern. */
export function compileGlob(segments: readonly string[], options: GlobOptions): Glob | undefined {
  const compiled: Segment[] = [];
  for (const text of segments) {
    if (/^\*{2,}$/.test(text)) {
      if (compiled.at(-1) !== GLOBSTAR) compiled.push(GLOBSTAR);
      continue;
    }
    const name = compileName(text, options);
    if (name === undefined) return undefined;
    compiled.push(name);
  }
  if (compiled.length === 0) return undefined;
  const named = compiled.filter((segment) => segment !== GLOBSTAR).length;
  return { segments: compiled, least: compiled.at(-1) === GLOBSTAR ? named + 1 : named };
}

/**
 * The depths at which the pattern matches, in order: 2 means the first two names. A trailing `**` matches at least one
 * name; elsewhere it may match none.
 */
export function matchDepths({ segments, least }: Glob, names: readonly string[]): readonly number[] {
  if (names.length < least) return [];
  const depths: number[] = [];
  const end = segments.length;
  let reached = new Set([0]);
  for (const [index, name] of names.entries()) {
    const next = new Set<number>();
    for (const start of reached) {
      let position = start;
      // At most one: consecutive ones were merged.
      if (segments[position] === GLOBSTAR) {
        next.add(position);
        if (++position === end) next.add(end);
      }
      const segment = segments[position];
      if (segment !== undefined && segment !== GLOBSTAR && matchesName(segment, name)) next.add(position + 1);
    }
    if (next.delete(end)) depths.push(index + 1);
    if (next.size === 0) break;
    reached = next;
  }
  return depths;
}

/** Whether the pattern matches all the names. */
export function matchesGlob(glob: Glob, names: readonly string[]): boolean {
  const last = glob.segments.at(-1)!;
  // The last name rules out most paths.
  if (last !== GLOBSTAR && !matchesName(last, names.at(-1)!)) return false;
  return matchDepths(glob, names).at(-1) === names.length;
}

/** The name every match ends in; undefined if it varies. */
export function lastName({ segments }: Glob): string | undefined {
  const last = segments.at(-1)!;
  return last === GLOBSTAR ? undefined : last.literal;
}

function compileName(text: string, { ignoreCase }: GlobOptions): NamePattern | undefined {
  const pieces: (string | TestCharacter)[][] = [[]];
  for (let at = 0; at < text.length; at++) {
    const piece = pieces.at(-1)!;
    const sign = text[at]!;
    if (sign === "*") {
      if (piece.length > 0 || pieces.length === 1) pieces.push([]);
    } else if (sign === "?") {
      piece.push(anyCharacter);
    } else if (sign === "[") {
      const bracket = readBracket(text, at, ignoreCase);
      if (bracket === undefined) return undefined;
      piece.push(bracket.test);
      at = bracket.end;
    } else {
      if (sign === "\\" && ++at === text.length) return undefined;
      const character = String.fromCodePoint(text.codePointAt(at)!);
      at += character.length - 1;
      piece.push(...(ignoreCase ? character.toLowerCase() : character));
    }
  }
  const compiled = pieces.map((characters): Piece => {
    const isText = characters.every((each) => typeof each === "string");
    return { characters, ...(isText && { text: characters.join("") }) };
  });
  const literal = compiled.length === 1 ? compiled[0]!.text : undefined;
  return {
    pieces: compiled,
    least: pieces.reduce((sum, { length }) => sum + length, 0),
    ...(literal !== undefined && { literal }),
  };
}

const anyCharacter: TestCharacter = () => true;

function matchesName({ literal, pieces, least }: NamePattern, name: string): boolean {
  if (literal !== undefined) return name === literal;
  if (name.length < least) return false;
  // Characters outside the basic plane are two units in a string but one in an array.
  const characters = /[\ud800-\udfff]/.test(name) ? Array.from(name) : name;
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  const end = characters.length - last.characters.length;
  if (pieces.length === 1) return end === 0 && fits(first, characters, 0);
  let at = first.characters.length;
  if (end < at || !fits(first, characters, 0) || !fits(last, characters, end)) return false;
  // Every piece has a fixed length, so the leftmost match is always best.
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index]!;
    at = find(piece, characters, at) + piece.characters.length;
    if (at < piece.characters.length || at > end) return false;
  }
  return true;
}

type Characters = string | readonly string[];

/** The first position from `start` on where the piece matches; -1 if there is none. */
function find(piece: Piece, characters: Characters, start: number): number {
  if (typeof characters === "string" && piece.text !== undefined) return characters.indexOf(piece.text, start);
  const end = characters.length - piece.characters.length;
  for (let at = start; at <= end; at++) if (fits(piece, characters, at)) return at;
  return -1;
}

function fits(piece: Piece, characters: Characters, start: number): boolean {
  if (typeof characters === "string" && piece.text !== undefined) return characters.startsWith(piece.text, start);
  if (start + piece.characters.length > characters.length) return false;
  return piece.characters.every((wanted, at) => {
    const character = characters[start + at]!;
    return typeof wanted === "string" ? wanted === character : wanted(character);
  });
}
