// The languages the tokenizer knows.

import { DOUBLE_QUOTES, QUOTES, words, type Grammar, type StringRule } from "./grammar.ts";

export function languageNamed(name: string): Grammar | undefined {
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name;
  return Object.hasOwn(LANGUAGES, known) ? LANGUAGES[known] : undefined;
}

const ALIASES: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "typescript",
  jsx: "typescript",
  mjs: "typescript",
  cjs: "typescript",
  javascript: "typescript",
  json5: "json",
  jsonc: "json",
  jsonl: "json",
  py: "python",
  py3: "python",
  pyi: "python",
  golang: "go",
  rs: "rust",
  kt: "java",
  kotlin: "java",
  scala: "java",
  swift: "java",
  h: "c",
  cpp: "c",
  cc: "c",
  cxx: "c",
  hpp: "c",
  hh: "c",
  "c++": "c",
  cs: "csharp",
  "c#": "csharp",
  rb: "ruby",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  fish: "shell",
  console: "shell",
  "shell-session": "shell",
  shellsession: "shell",
  scss: "css",
  less: "css",
  yml: "yaml",
  ini: "toml",
  cfg: "toml",
  conf: "toml",
  env: "toml",
  properties: "toml",
  docker: "dockerfile",
  make: "makefile",
  mk: "makefile",
  postgresql: "sql",
  postgres: "sql",
  mysql: "sql",
  sqlite: "sql",
};

const C_COMMENTS = { lineComments: ["//"], blockComments: [["/*", "*/"]] } as const;
const HASH = { lineComments: ["#"], blockComments: [] } as const;
const NONE: ReadonlySet<string> = new Set();
const TEMPLATE: StringRule = { open: "`", close: "`", escapes: true, lines: true, code: "${" };
const TRIPLE: readonly StringRule[] = [
  { open: '"""', close: '"""', escapes: true, lines: true },
  { open: "'''", close: "'''", escapes: true, lines: true },
];
const SHELL_QUOTES: readonly StringRule[] = [
  { open: '"', close: '"', escapes: true, lines: true },
  { open: "'", close: "'", lines: true },
];

const LANGUAGES: Readonly<Record<string, Grammar>> = {
  typescript: {
    ...C_COMMENTS,
    strings: [...QUOTES, TEMPLATE],
    keywords:
      words(`abstract accessor as asserts async await break case catch class const continue debugger declare default
      delete do else enum export extends false finally for from function get if implements import in infer instanceof
      interface is keyof let namespace new null of override private protected public readonly return satisfies set static
      super switch this throw true try type typeof undefined unique using var void while with yield`),
    types: words("any bigint boolean never number object string symbol unknown"),
    capitalTypes: true,
    calls: true,
    regexps: true,
    sigils: "@#",
  },
  json: {
    ...C_COMMENTS,
    strings: DOUBLE_QUOTES,
    keywords: words("true false null"),
    types: NONE,
    keys: ":",
  },
  python: {
    ...HASH,
    strings: [...TRIPLE, ...QUOTES],
    keywords:
      words(`False None True and as assert async await break case class continue def del elif else except finally for
      from global if import in is lambda match nonlocal not or pass raise return self try while with yield`),
    types: words("bool bytes complex dict float frozenset int list object set str tuple type"),
    capitalTypes: true,
    calls: true,
    sigils: "@",
  },
  go: {
    ...C_COMMENTS,
    strings: [...QUOTES, { open: "`", close: "`", lines: true }],
    keywords:
      words(`break case chan const continue default defer else fallthrough false for func go goto if import interface
      iota map nil package range return select struct switch true type var`),
    types:
      words(`any bool byte comparable complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string
      uint uint16 uint32 uint64 uint8 uintptr`),
    capitalTypes: true,
    calls: true,
  },
  rust: {
    ...C_COMMENTS,
    strings: [
      { open: 'r#"', close: '"#', lines: true },
      { open: '"', close: '"', escapes: true, lines: true },
    ],
    keywords:
      words(`as async await box break const continue crate dyn else enum extern false fn for if impl in let loop match
      mod move mut pub ref return self static struct super trait true type union unsafe use where while yield`),
    types: words("Self bool char f32 f64 i128 i16 i32 i64 i8 isize str u128 u16 u32 u64 u8 usize"),
    capitalTypes: true,
    calls: true,
    characters: true,
  },
  java: {
    ...C_COMMENTS,
    strings: [TRIPLE[0]!, ...QUOTES],
    keywords:
      words(`abstract assert break by case catch class companion const continue data def default do else enum exports
      extends extension false final finally fn for fun func goto guard if implements import in init instanceof interface
      internal is let match module native new nil null object open override package permits private protected protocol
      public record return sealed self static strictfp struct super suspend switch synchronized this throw throws trait
      transient true try typealias val var void volatile when where while with yield`),
    types: words("boolean byte char double float int long short"),
    capitalTypes: true,
    calls: true,
    sigils: "@",
  },
  c: {
    ...C_COMMENTS,
    strings: QUOTES,
    keywords:
      words(`alignas alignof asm auto break case catch class co_await co_return co_yield concept const const_cast
      consteval constexpr constinit continue decltype default define delete do dynamic_cast elif else endif enum error
      explicit export extern false final for friend goto if ifdef ifndef include inline mutable namespace new noexcept nullptr
      operator override pragma private protected public register reinterpret_cast requires restrict return sizeof static
      static_assert static_cast struct switch template this throw true try typedef typeid typename undef union using virtual
      volatile while NULL`),
    types:
      words(`bool char char16_t char32_t char8_t double float int int16_t int32_t int64_t int8_t intptr_t long ptrdiff_t
      short signed size_t ssize_t uint16_t uint32_t uint64_t uint8_t uintptr_t unsigned void wchar_t FILE`),
    capitalTypes: true,
    calls: true,
  },
  csharp: {
    ...C_COMMENTS,
    strings: [{ open: '@"', close: '"', lines: true }, TRIPLE[0]!, ...QUOTES],
    keywords:
      words(`abstract as async await base break case catch checked class const continue default delegate do else enum
      event explicit extern false finally fixed for foreach get goto if implicit in init interface internal is lock namespace
      new not null operator or out override params partial private protected public readonly record ref required return
      sealed set sizeof stackalloc static struct switch this throw true try typeof unchecked unsafe using var virtual
      volatile when where while with yield`),
    types:
      words(`bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort
      void`),
    capitalTypes: true,
    calls: true,
  },
  ruby: {
    lineComments: ["#"],
    blockComments: [["=begin", "=end"]],
    strings: [
      { open: '"', close: '"', escapes: true, lines: true, code: "#{" },
      { open: "'", close: "'", escapes: true, lines: true },
      { open: "`", close: "`", escapes: true },
    ],
    keywords:
      words(`BEGIN END alias and begin break case class def defined? do else elsif end ensure extend false for if in
      include module next nil not or private protected public raise redo require require_relative rescue retry return self
      super then true undef unless until when while yield attr_accessor attr_reader attr_writer`),
    types: NONE,
    capitalTypes: true,
    calls: true,
    sigils: "@$",
  },
  php: {
    lineComments: ["//", "#"],
    blockComments: [["/*", "*/"]],
    strings: SHELL_QUOTES.map((rule) => ({ ...rule, escapes: true })),
    keywords:
      words(`abstract and array as break callable case catch class clone const continue declare default do echo else
      elseif empty enum extends false final finally fn for foreach function global goto if implements include include_once
      instanceof insteadof interface isset list match namespace new null or print private protected public readonly require
      require_once return self static switch this throw trait true try unset use var while xor yield`),
    types: words("bool float int iterable mixed never object string void"),
    capitalTypes: true,
    calls: true,
    sigils: "$",
  },
  shell: {
    ...HASH,
    strings: SHELL_QUOTES,
    keywords:
      words(`alias break case cd continue declare do done echo elif else esac eval exec exit export fi for function if
      in local read readonly return select set shift source sudo then time trap unset until while`),
    types: NONE,
    sigils: "$",
    hyphens: true,
    spaceBeforeComment: true,
  },
  sql: {
    lineComments: ["--"],
    blockComments: [["/*", "*/"]],
    strings: [
      { open: "'", close: "'", lines: true },
      { open: '"', close: '"' },
    ],
    keywords:
      words(`add all alter analyze and any as asc begin between by cascade case check coalesce column commit constraint
      create cross current_date current_timestamp database default delete desc distinct drop else end except exists explain
      false fetch first for foreign from full function grant group having if ilike in index inner insert intersect into is
      join key last left like limit materialized natural not null nulls offset on or order outer over partition primary
      procedure recursive references replace returning revoke right rollback row rows select set some table temporary then
      transaction trigger true truncate union unique update using values view when where window with`),
    types:
      words(`bigint bigserial binary blob boolean bytea char character date datetime decimal double float int integer
      interval json jsonb numeric real serial smallint text time timestamp timestamptz tinyint uuid varchar`),
    ignoreCase: true,
    calls: true,
  },
  css: {
    ...C_COMMENTS,
    lineComments: [],
    strings: QUOTES,
    keywords: words("important"),
    types: NONE,
    calls: true,
    keys: ":",
    sigils: "@$#.",
    hyphens: true,
  },
  yaml: {
    ...HASH,
    strings: SHELL_QUOTES,
    keywords: words("true false null yes no on off"),
    types: NONE,
    keys: ":",
    sigils: "&*!",
    hyphens: true,
    spaceBeforeComment: true,
  },
  toml: {
    lineComments: ["#", ";"],
    blockComments: [],
    strings: [...TRIPLE, ...QUOTES],
    keywords: words("true false inf nan"),
    types: NONE,
    keys: "=",
    sections: true,
    hyphens: true,
    spaceBeforeComment: true,
  },
  dockerfile: {
    ...HASH,
    strings: QUOTES,
    keywords:
      words(`add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal
      user volume workdir`),
    types: NONE,
    ignoreCase: true,
    firstWord: true,
    sigils: "$",
    hyphens: true,
    spaceBeforeComment: true,
  },
  makefile: {
    ...HASH,
    strings: QUOTES,
    keywords: words("define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath"),
    types: NONE,
    keys: "(: or =)",
    sigils: "$",
    hyphens: true,
    spaceBeforeComment: true,
  },
};
