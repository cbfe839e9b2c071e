// The list under the prompt: commands after `/`, files and other things after `@`, emoji after `:`. It holds which entries
// match and which is marked; the prompt holds the text.

import type { TextBuffer } from "../editor/text-buffer.ts";
import { type CommandItem, commandNamed, matchCommands, startsWord } from "@keelson/client/commands";
import { fuzzyScore } from "@keelson/client/fuzzy";
import { type MentionItem, mentionAt, mentionText } from "@keelson/client/mention";

export interface CompletionSources {
  commands(): readonly CommandItem[];
  /** Files that match, best first; folders end in `/`. An answer that comes late is dropped. */
  files(query: string): Promise<readonly string[]>;
  /** Agents and MCP resources. */
  mentions?(): readonly MentionItem[];
}

export interface CompletionRow {
  readonly label: string;
  readonly description: string;
}

export type CompletionKind = "command" | "mention" | "emoji";

type Entry = { readonly row: CompletionRow; readonly value: string };

interface OpenWord {
  readonly kind: CompletionKind;
  readonly line: number;
  readonly start: number;
  readonly query: string;
}

const MOST_MENTIONS = 5;

export class Completion {
  readonly #sources: CompletionSources;
  readonly #changed: () => void;
  #word: OpenWord | undefined;
  #entries: readonly Entry[] = [];
  #marked = 0;
  /** How many commands or mentions there were to match. */
  #known = 0;
  /** Files that match the word. */
  #files: readonly string[] = [];
  /** The word whose list was closed by the user. */
  #closed: OpenWord | undefined;

  constructor(sources: CompletionSources, changed: () => void) {
    this.#sources = sources;
    this.#changed = changed;
  }

  get isOpen(): boolean {
    return this.#entries.length > 0;
  }

  get kind(): CompletionKind | undefined {
    return this.isOpen ? this.#word?.kind : undefined;
  }

  get rows(): readonly CompletionRow[] {
    return this.#entries.map(({ row }) => row);
  }

  get marked(): number {
    return this.#marked;
  }

  /** Looks at the word at the cursor after something was typed. */
  update(buffer: TextBuffer): void {
    const word = wordAt(buffer);
    if (!word) {
      this.#closed = undefined;
      this.reset();
      return;
    }
    if (this.#closed && this.#closed.kind === word.kind && this.#closed.start === word.start) return;
    this.#closed = undefined;
    const before = this.#word;
    if (before && isSame(before, word) && before.query === word.query) return;
    this.#word = word;
    this.#marked = 0;
    if (word.kind === "command") this.#match(word.query, this.#sources.commands());
    else if (word.kind === "emoji") void this.#findEmoji(word);
    else this.#ask(word, before !== undefined && isSame(before, word));
  }

  /** Looks whether there are other commands or mentions now: a session tells them when it is open. */
  refresh(): void {
    if (this.#word?.kind === "command") {
      const commands = this.#sources.commands();
      if (commands.length !== this.#known) this.#match(this.#word.query, commands);
    } else if (this.#word?.kind === "mention" && this.isOpen && this.#mentions().length !== this.#known) {
      this.#list(this.#word);
    }
  }

  /** The marked entry is the folder that the word names already: there is nothing to complete. */
  get isWholeFolder(): boolean {
    const value = this.#entries[this.#marked]?.value;
    return this.#word?.kind === "mention" && value === this.#word.query && value.endsWith("/");
  }

  /** Closes the list until another word is begun. */
  close(): void {
    const word = this.#word;
    this.reset();
    this.#closed = word;
  }

  reset(): void {
    this.#word = undefined;
    this.#entries = [];
    this.#marked = 0;
  }

  move(step: 1 | -1): void {
    const count = this.#entries.length;
    this.#marked = (this.#marked + step + count) % Math.max(1, count);
  }

  /** Puts the marked entry into the text. */
  accept(buffer: TextBuffer): void {
    const entry = this.#entries[this.#marked];
    const word = this.#word;
    if (!entry || !word) return;
    // What is in it comes next.
    if (this.isWholeFolder) return this.move(1);
    const { text, open } = insertedText(word.kind, entry.value);
    const { line } = word;
    const rest = buffer.lineText(line).slice(buffer.cursor.offset);
    // A space that is there already is enough.
    const doubled = text.endsWith(" ") && rest.startsWith(" ");
    const end = buffer.cursor.offset + (doubled ? 1 : 0);
    buffer.replace({ line, offset: word.start }, { line, offset: end }, text);
    this.reset();
    if (open) this.update(buffer);
  }

  /**
   * The command line that Enter runs: the marked entry, under the name that was typed if that is one of its own. An entry
   * that merely has the same letters is run only if the user moved to it: `/login` must not run `/reload-plugins`.
   */
  commandLine(): string | undefined {
    const entry = this.#entries[this.#marked];
    if (!entry || this.#word?.kind !== "command") return undefined;
    const { query } = this.#word;
    const command = commandNamed(entry.value, this.#sources.commands());
    if (this.#marked === 0 && command && !startsWord(query, command)) return undefined;
    return `/${commandNamed(query, this.#sources.commands())?.name === entry.value ? query : entry.value}`;
  }

  /** What to show behind a command that expects arguments, as long as none are there. */
  argumentHint(buffer: TextBuffer): string | undefined {
    const line = buffer.lineText(0);
    if (buffer.lines.length > 1 || !line.startsWith("/") || line.length > 200) return undefined;
    const match = /^\/(\S+) $/.exec(line);
    return match?.[1] === undefined ? undefined : commandNamed(match[1], this.#sources.commands())?.argumentHint;
  }

  #match(query: string, commands: readonly CommandItem[]): void {
    this.#known = commands.length;
    this.#entries = matchCommands(query, commands).map(commandEntry);
    this.#marked = 0;
  }

  #ask(word: OpenWord, keep: boolean): void {
    // The old entries stay until the answer comes, or the list would flicker.
    if (!keep) this.#entries = [];
    this.#known = this.#mentions().length;
    const answered = (paths: readonly string[]) => {
      if (this.#word !== word) return;
      this.#files = paths;
      this.#list(word);
      this.#changed();
    };
    void this.#sources.files(word.query).then(answered, () => answered([]));
  }

  async #findEmoji(word: OpenWord): Promise<void> {
    const { matchEmoji } = await import("./emoji.ts");
    if (this.#word !== word) return;
    this.#entries = matchEmoji(word.query).map(({ name, character }) => ({
      row: { label: `:${name}:`, description: character },
      value: character,
    }));
    this.#changed();
  }

  #mentions(): readonly MentionItem[] {
    return this.#sources.mentions?.() ?? [];
  }

  /** Files first: they are named more often than anything else. An entry that the user went to stays marked. */
  #list(word: OpenWord): void {
    const mentions = this.#mentions();
    this.#known = mentions.length;
    const before = this.#marked === 0 ? undefined : this.#entries[this.#marked]?.value;
    const files = this.#files.map((path) => ({ row: { label: path, description: "" }, value: path }));
    this.#entries = [...files, ...matchMentions(word.query, mentions)];
    this.#marked = Math.max(
      0,
      this.#entries.findIndex(({ value }) => value === before),
    );
  }
}

function wordAt(buffer: TextBuffer): OpenWord | undefined {
  const { line, offset } = buffer.cursor;
  const text = buffer.lineText(line);
  if (line === 0 && text.startsWith("/") && offset > 0) {
    const query = text.slice(1, Math.min(offset, 200));
    if (/^[^\s/]*$/.test(query)) return { kind: "command", line, start: 0, query };
  }
  const mention = mentionAt(text, offset);
  if (mention) return { kind: "mention", line, ...mention };
  const emoji = EMOJI.exec(text.slice(Math.max(0, offset - LONGEST_EMOJI), offset))?.[1];
  return emoji === undefined ? undefined : { kind: "emoji", line, start: offset - emoji.length - 1, query: emoji };
}

/** One letter would be a list of everything, and `:)` is no name. */
const EMOJI = /(?:^|\s):([a-z+-][a-z0-9_]+)$/i;
const LONGEST_EMOJI = 40;

function insertedText(kind: CompletionKind, value: string): { readonly text: string; readonly open: boolean } {
  if (kind === "mention") return mentionText(value);
  return { text: kind === "command" ? `/${value} ` : value, open: false };
}

function isSame(a: OpenWord, b: OpenWord): boolean {
  return a.kind === b.kind && a.line === b.line && a.start === b.start;
}

function commandEntry({ name, aliases = [], description }: CommandItem): Entry {
  const label = aliases.length > 0 ? `/${name} (${aliases.join(", ")})` : `/${name}`;
  return { row: { label, description }, value: name };
}

function matchMentions(query: string, items: readonly MentionItem[]): Entry[] {
  return items
    .flatMap((item) => {
      const score = fuzzyScore(query, item.value);
      return score === undefined ? [] : { item, score };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_MENTIONS)
    .map(({ item }) => ({ row: { label: item.value, description: item.description ?? "" }, value: item.value }));
}
