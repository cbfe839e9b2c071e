// State of the strict shell reader. It never backtracks: each character is read once per nesting level, and nesting is
// limited, so the work is bounded by the length of the text.

export interface Reader {
  readonly source: string;
  at: number;
  depth: number;
  /** One line per construct read, for comparison with the parser's tree. */
  readonly facts: string[];
  /** Here-documents whose bodies start after the next newline. */
  pending: PendingText[];
  /** One object for all texts of a command. `modern`: bash 3.2 would read it differently. */
  readonly seen: { modern: boolean };
  /** Reads the commands of a substitution, up to what closes it. */
  readonly commands: (reader: Reader) => void;
}

export interface PendingText {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripsTabs: boolean;
}

/** Shell text that we do not read, or that bash may read differently. */
export class UnreadError extends Error {
  override readonly name = "UnreadError";
}

const DEEPEST = 50;

export function cannotRead(message: string): never {
  throw new UnreadError(message);
}

/** Runs a step one level deeper. */
export function nested(reader: Reader, step: () => void): void {
  if (++reader.depth > DEEPEST) cannotRead("it is nested too deeply");
  step();
  reader.depth--;
}

/** Reads a separate text, such as the body of a here-document, to its end. */
export function readApart(reader: Reader, source: string, step: (inner: Reader) => void): void {
  const inner: Reader = { ...reader, source, at: 0, pending: [] };
  nested(inner, () => step(inner));
  if (inner.at < source.length) cannotRead("part of it could not be read");
  if (inner.pending.length > 0) cannotRead("a here-document has no end");
}

/** Consumes and returns what a sticky pattern matches here. */
export function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.source)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

/** Whether a sticky pattern matches here. */
export function sees(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  return pattern.test(reader.source);
}

export function expect(reader: Reader, text: string): void {
  if (!reader.source.startsWith(text, reader.at)) cannotRead(`"${text}" is missing`);
  reader.at += text.length;
}

export function note(reader: Reader, kind: string, ...texts: readonly string[]): void {
  reader.facts.push([kind, ...texts].join("\0"));
}
