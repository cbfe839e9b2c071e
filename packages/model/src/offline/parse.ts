// Turns a clause into a step by patterns. A clause that matches none is unclear; nothing is guessed.

import type { Clause } from "./clauses.ts";

export type OfflineStep =
  | { readonly kind: "list"; readonly pattern: string; readonly folder?: string }
  | { readonly kind: "find"; readonly pattern: string; readonly folder?: string }
  | { readonly kind: "search"; readonly text: string; readonly where?: string }
  | { readonly kind: "read"; readonly path: string; readonly from?: number; readonly to?: number }
  | { readonly kind: "run"; readonly command: string }
  | { readonly kind: "create"; readonly path: string; readonly content: string }
  | { readonly kind: "append"; readonly path: string; readonly content: string }
  | {
      readonly kind: "replace";
      readonly path: string;
      readonly from: string;
      readonly to: string;
      readonly all: boolean;
    }
  | { readonly kind: "summarise" }
  | { readonly kind: "help" }
  | { readonly kind: "unclear"; readonly source: string };

export function parseClause(clause: Clause): OfflineStep {
  const text = clause.text
    .replace(
      /^(?:(?:please|now|next|first|finally|and|also|can you|could you|would you|i want you to|let's)[,:]?\s+)+/i,
      "",
    )
    .replace(/[\s?!.]+$/, "");
  for (const [pattern, make] of PATTERNS) {
    const match = pattern.exec(text);
    const step = match && make(match.groups ?? {}, clause.spell);
    if (step) return step;
  }
  return { kind: "unclear", source: clause.source };
}

type Groups = Readonly<Record<string, string | undefined>>;
type Make = (groups: Groups, spell: (piece: string) => string) => OfflineStep | undefined;

// "… and tell me what it says" does not change the request.
const AFTER = String.raw`(?:,?\s+(?:and|to)\s+(?:tell|show|report|give|explain|let|see)\b.*)?`;
const FOLDER = String.raw`(?:\s+(?:in|under|inside|within|from)\s+(?:the\s+)?(?:folder\s+|directory\s+)?(?<folder>\S+?)(?:\s+(?:folder|directory))?)?`;
const re = (source: string) => new RegExp(`^${source}$`, "i");

const PATTERNS: readonly (readonly [RegExp, Make])[] = [
  [/^(?:help|hello|hi|hey|what can you do|who are you|what are you)\b/i, () => ({ kind: "help" })],

  [
    re(String.raw`(?:run|execute|\$)(?:\s+the)?(?:\s+(?:shell\s+)?command)?:?\s+(?<quoted>\u0001\d+\u0002)${AFTER}`),
    ({ quoted }, spell) => ({ kind: "run", command: spell(quoted!) }),
  ],
  [
    re(
      String.raw`(?:run|execute)\s+(?!(?:the|all|my|our|a|an|it|this|that|these|those|some)\b)(?<command>[\w./~-]+(?:\s.*)?)`,
    ),
    ({ command }, spell) => ({ kind: "run", command: spell(command!) }),
  ],

  [
    re(
      String.raw`(?:replace|change|rename|substitute)\s+(?<all>(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?(?<from>.+?)\s+(?:with|to|by|into)\s+(?<to>.+?)\s+(?:everywhere\s+)?(?:in|inside)\s+(?:the\s+)?(?:file\s+)?(?<path>\S+)(?<everywhere>\s+everywhere)?`,
    ),
    ({ all, from, to, path, everywhere }, spell) => replace(spell(path!), spell(from!), spell(to!), all ?? everywhere),
  ],
  [
    re(
      String.raw`in\s+(?:the\s+)?(?:file\s+)?(?<path>[^\s,]+),?\s+(?:replace|change|rename|substitute)\s+(?<all>(?:all|every|each)\s+(?:occurrences?\s+of\s+)?)?(?<from>.+?)\s+(?:with|to|by|into)\s+(?<to>.+?)(?<everywhere>\s+everywhere)?`,
    ),
    ({ path, all, from, to, everywhere }, spell) => replace(spell(path!), spell(from!), spell(to!), all ?? everywhere),
  ],

  [
    re(
      String.raw`(?:append|add)\s+(?:the\s+)?(?:lines?\s+|text\s+)?(?<content>\u0001\d+\u0002)\s+(?:at\s+|to\s+)(?:the\s+end\s+of\s+)?(?:the\s+)?(?:file\s+)?(?<path>\S+)`,
    ),
    ({ content, path }, spell) => ({ kind: "append", path: spell(path!), content: spell(content!) }),
  ],
  [
    re(
      String.raw`(?:write|save|put)\s+(?:the\s+)?(?:text\s+|content\s+)?(?<content>\u0001\d+\u0002)\s+(?:to|into|in)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?<path>\S+)`,
    ),
    ({ content, path }, spell) => ({ kind: "create", path: spell(path!), content: spell(content!) }),
  ],
  [
    re(
      String.raw`(?:create|write|make|add)\s+(?:a\s+|an\s+|the\s+)?(?:new\s+)?(?:empty\s+)?(?:text\s+)?(?:file\s+)?(?:called\s+|named\s+|at\s+)?(?<path>\S*[./\u0001]\S*?)(?:,?\s+(?:with|containing|that\s+(?:says|contains))(?:\s+(?:the|this|following))*(?:\s+(?:contents?|text|lines?))?:?\s+(?<content>[\s\S]+))?`,
    ),
    ({ path, content }, spell) => ({ kind: "create", path: spell(path!), content: spell(content ?? "") }),
  ],

  [
    /^(?:(?:give|write|show)\s+(?:me\s+)?)?(?:an?\s+|the\s+)?(?:summari[sz]e|summary|describe|explain|overview|outline|structure|analy[sz]e|explore|tell me about|what(?:'s|\s+is|\s+does))\b(?:(?!\u0001).)*\b(?:repo|repository|project|code\s*base|structure|package|directory|folder|do)\b(?![./\w-])/i,
    () => ({ kind: "summarise" }),
  ],

  [
    re(
      String.raw`(?:list|show|ls|find|what|which)(?:\s+me)?(?:\s+are)?(?:\s+all)?(?:\s+the)?(?:\s+(?<type>\.?\w{1,5}|typescript|javascript|python|markdown|\*\S+|\u0001\d+\u0002))?\s+(?:files?|contents?)(?:\s+(?:are|is)(?:\s+there)?)?(?:\s+here)?${FOLDER}${AFTER}`,
    ),
    ({ type, folder }, spell) => ({ kind: "list", pattern: typePattern(type && spell(type)), ...place(folder, spell) }),
  ],
  [
    re(
      String.raw`(?:ls|dir|list)(?:\s+(?:the\s+)?(?:(?:current\s+)?(?:folder|directory)|everything))?(?:\s+(?:in\s+|of\s+)?(?<folder>\S+))?`,
    ),
    ({ folder }, spell) => ({ kind: "list", pattern: "*", ...place(folder, spell) }),
  ],

  [
    re(
      String.raw`(?:find|locate|search\s+for|look\s+for|where\s+is|where\s+are)(?:\s+all)?(?:\s+the)?\s+files?\s+(?:(?:named|called|matching|like|with\s+the\s+name)\s+)?(?<name>\S+)${FOLDER}`,
    ),
    ({ name, folder }, spell) => ({ kind: "find", pattern: namePattern(spell(name!)), ...place(folder, spell) }),
  ],
  [
    re(
      String.raw`(?:find|locate|where\s+is)\s+(?:the\s+)?(?:file\s+)?(?<name>[\w*?.{},/-]*[.*?][\w*?.{},/-]*)${FOLDER}`,
    ),
    ({ name, folder }, spell) => ({ kind: "find", pattern: namePattern(name!), ...place(folder, spell) }),
  ],
  [
    re(
      String.raw`(?:search|grep|look|find|where)(?:\s+(?:for|is|are))?(?:\s+(?:all|every|the|any))*(?:\s+(?:text|word|string|uses?|usages?|occurrences?|mentions?|references?)(?:\s+(?:of|to))?)?\s+(?<text>.+?)(?:\s+(?:used|mentioned|defined))?(?:\s+(?:in|under|inside|within)\s+(?:(?:all\s+|the\s+)*(?:files?|code|repo|repository|project|code\s*base)|(?:the\s+)?(?:file\s+|folder\s+|directory\s+)?(?<where>\S+)))?`,
    ),
    ({ text, where }, spell) => ({ kind: "search", text: spell(text!), ...(where ? { where: spell(where) } : {}) }),
  ],

  [
    re(
      String.raw`(?:read|show|open|print|cat|display|view|give)(?:\s+me)?(?:\s+the)?\s+(?:lines?\s+(?<from>\d+)(?:\s*(?:-|–|to|through|and)\s*(?<to>\d+))?|first\s+(?<first>\d+)\s+lines?)\s+(?:of|from|in)\s+(?:the\s+)?(?:file\s+)?(?<path>\S+)${AFTER}`,
    ),
    ({ from, to, first, path }, spell) => lines(spell(path!), from ?? "1", first ?? to ?? from!),
  ],
  [
    re(
      String.raw`(?:read|show|open|print|cat|display|view|what(?:'s|\s+is)\s+in|what\s+does)(?:\s+me)?(?:\s+the)?(?:\s+(?:contents?\s+of|file))*(?:\s+the)?(?:\s+file)?\s+(?<path>\S+)(?:\s+(?:say|contain|file))?(?:,?\s+(?:from\s+)?lines?\s+(?<from>\d+)(?:\s*(?:-|–|to|through)\s*(?<to>\d+))?)?${AFTER}`,
    ),
    ({ path, from, to }, spell) =>
      from
        ? lines(spell(path!), from, to ?? from)
        : looksLikePath(path!)
          ? { kind: "read", path: spell(path!) }
          : undefined,
  ],
];

function replace(path: string, from: string, to: string, all: string | undefined): OfflineStep {
  return { kind: "replace", path, from, to, all: all !== undefined };
}

function lines(path: string, from: string, to: string): OfflineStep {
  const [first, last] = [Number(from), Number(to)].sort((a, b) => a - b) as [number, number];
  return { kind: "read", path, from: Math.max(1, first), to: Math.max(1, last) };
}

function looksLikePath(word: string): boolean {
  return /[./\u0001]/.test(word) || /^[A-Z][A-Z_-]{2,}$/.test(word) || /^(?:Makefile|Dockerfile)$/i.test(word);
}

/** `.` and "here" are the current folder. */
function place(folder: string | undefined, spell: (piece: string) => string): { readonly folder?: string } {
  const path = folder && spell(folder);
  return !path || /^(?:\.\/?|here|this|it)$/i.test(path) ? {} : { folder: path };
}

function typePattern(type: string | undefined): string {
  if (!type || /^(?:the|all|my|our|any|are|files?)$/i.test(type)) return "*";
  if (/[*?]/.test(type)) return type;
  const endings: Record<string, string> = {
    typescript: "ts",
    javascript: "js",
    python: "py",
    markdown: "md",
    test: "test.*",
  };
  const ending = type.replace(/^\./, "").toLowerCase();
  return `**/*.${Object.hasOwn(endings, ending) ? endings[ending] : ending}`;
}

function namePattern(name: string): string {
  if (name.includes("/") || name.startsWith("**")) return name;
  return /[*?.]/.test(name) ? `**/${name}` : `**/*${name}*`;
}
