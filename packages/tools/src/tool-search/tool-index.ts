// Finds tools whose schemas are withheld by words in their name, their server and their description. Pure.
//
// Names are split into words once for a list of tools, and everything is joined into one text. A search goes through that
// text and looks closer only at the tools where it finds a word. An index of all words takes ten times as long to build.

export interface DeferredTool {
  readonly name: string;
  /** The MCP server that offers it. */
  readonly server?: string;
  readonly description: string;
}

export interface ToolIndex {
  /** The tool with this name, or the only one with this name behind `mcp__server__`. */
  named(name: string): DeferredTool | undefined;
  /** Best first; tools that match equally well in the order of the list. Every one has all of the `required` words. */
  ranked(words: readonly string[], required: readonly string[], most: number): DeferredTool[];
}

interface Prepared {
  readonly name: readonly string[];
  readonly server: readonly string[];
  readonly description: string;
}

/** How much a word says, by where it is found. The words of a server apply to all of its tools. */
const NAME = 8;
const SERVER = 4;
const DESCRIPTION = 1;
/** For a word that only begins with the one that was searched: `issue` finds `issues`. */
const BEGINNING = 0.5;
const SHORTEST_BEGINNING = 3;
/** A description is searched up to here: what a tool does is said at its start. */
const MAX_SEARCHED_LENGTH = 1_000;

export function buildToolIndex(tools: readonly DeferredTool[]): ToolIndex {
  const byName = new Map<string, DeferredTool>();
  /** Null if several tools have the name. */
  const byShortName = new Map<string, DeferredTool | null>();
  const prepared = tools.map((tool): Prepared => {
    const short = shortName(tool);
    const lower = short.toLowerCase();
    byName.set(tool.name.toLowerCase(), tool);
    byShortName.set(lower, byShortName.has(lower) ? null : tool);
    return {
      name: searchWords(short),
      server: searchWords(tool.server ?? ""),
      description: tool.description.slice(0, MAX_SEARCHED_LENGTH).toLowerCase(),
    };
  });

  const texts = prepared.map(
    ({ name, server, description }) => `${name.join(" ")} ${server.join(" ")} ${description}\n`,
  );
  const text = texts.join("");
  let length = 0;
  const ends = texts.map((each) => (length += each.length));

  /** What a word says about each tool that has it, by the tool's place in the list. */
  function fitsOf(word: string): Map<number, number> {
    const fits = new Map<number, number>();
    const stem = stemOf(word);
    let tool = 0;
    for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, ends[tool])) {
      while (ends[tool]! <= at) tool++;
      const fit = fitOf(word, stem, prepared[tool]!);
      if (fit > 0) fits.set(tool, fit);
    }
    return fits;
  }

  return {
    named: (name) => byName.get(name.toLowerCase()) ?? byShortName.get(name.toLowerCase()) ?? undefined,
    ranked(words, required, most) {
      const fits = new Map([...words, ...required].map((word) => [word, fitsOf(word)]));
      const scores = new Map<number, number>();
      for (const found of fits.values()) {
        // A word that few tools have says more.
        const rarity = Math.log(1 + tools.length / found.size);
        for (const [at, fit] of found) scores.set(at, (scores.get(at) ?? 0) + fit * rarity);
      }
      return [...scores]
        .filter(([at]) => required.every((word) => fits.get(word)!.has(at)))
        .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
        .slice(0, most)
        .map(([at]) => tools[at]!);
    },
  };
}

/** Lower case, split at everything that is no letter or digit and where `camelCase` has its humps. */
export function searchWords(text: string): string[] {
  // Most text is ASCII, and its expressions are several times faster.
  const [hump, word] = ASCII.test(text)
    ? [/([a-z\d])([A-Z])/g, /[a-z\d]+/g]
    : [/(\p{Ll}|\d)(\p{Lu})/gu, /[\p{L}\p{N}]+/gu];
  return text.replace(hump, "$1 $2").toLowerCase().match(word) ?? [];
}

// oxlint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;

/** The name without `mcp__server__`. */
function shortName({ name, server }: DeferredTool): string {
  const prefix = `mcp__${(server ?? "").replace(/[^a-zA-Z0-9_-]/g, "_")}__`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The plural finds the singular; the singular finds the plural by its beginning. */
function stemOf(word: string): string {
  return word.length > SHORTEST_BEGINNING && word.endsWith("s") ? word.slice(0, -1) : word;
}

/** What one word says about a tool; 0 if the tool does not have it. */
function fitOf(word: string, stem: string, { name, server, description }: Prepared): number {
  return (
    NAME * fitInWords(word, stem, name) +
    SERVER * fitInWords(word, stem, server) +
    DESCRIPTION * fitInText(word, stem, description)
  );
}

function fitInWords(word: string, stem: string, words: readonly string[]): number {
  if (words.includes(word) || words.includes(stem)) return 1;
  return stem.length >= SHORTEST_BEGINNING && words.some((known) => known.startsWith(stem)) ? BEGINNING : 0;
}

function fitInText(word: string, stem: string, text: string): number {
  let fit = 0;
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1)) {
    if (isPartOfWord(text.charCodeAt(at - 1))) continue;
    const isWhole =
      !isPartOfWord(text.charCodeAt(at + stem.length)) ||
      (text.startsWith(word, at) && !isPartOfWord(text.charCodeAt(at + word.length)));
    if (isWhole) return 1;
    if (stem.length >= SHORTEST_BEGINNING) fit = BEGINNING;
  }
  return fit;
}

/** Letters and digits of lower-case text. NaN, which is past either end of it, is neither. */
function isPartOfWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 128;
}
