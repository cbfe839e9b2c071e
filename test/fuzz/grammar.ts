// Shell commands no one wrote: a grammar of what bash can do, and damage done to its sentences.
// Every text made here is data for parsers. Nothing runs it.

import fc from "fast-check";

/** Programs in the sentences. Some only look, some are allowed by rule, some by nothing. */
const PROGRAMS = ["ls", "cat", "echo", "grep", "git", "npm", "make", "rm", "curl", "evil", "sort", "find", "cd"];

const WRAPPERS = [
  "sudo",
  "env",
  "timeout 5",
  "nice",
  "nohup",
  "xargs",
  "command",
  "exec",
  "time",
  "builtin",
  "env A=1",
];

/** One command line, now and then broken. */
export function commandText(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: sentence() },
    { weight: 4, arbitrary: fc.tuple(sentence(), damages()).map(([text, blows]) => blows.reduce(damage, text)) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 16 }).map((parts) => parts.join("")) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 16 }).map((parts) => parts.join(" ")),
    },
  );
}

function sentence(): fc.Arbitrary<string> {
  const { list } = fc.letrec<Record<"list" | "command" | "simple" | "word" | "piece" | "expansion", string>>((tie) => ({
    list: fc.oneof(
      { maxDepth: 3, depthIdentifier: "list" },
      { weight: 14, arbitrary: tie("command") },
      joined(" && ", tie("command"), tie("list")),
      joined(" || ", tie("command"), tie("list")),
      joined("; ", tie("command"), tie("list")),
      joined(" | ", tie("command"), tie("list")),
      joined(" |& ", tie("command"), tie("list")),
      joined("\n", tie("command"), tie("list")),
      joined(" & ", tie("command"), tie("list")),
      joined(";", tie("command"), tie("list")),
      joined(" \\\n", tie("command"), fc.constantFrom("&& ls", "| cat", "-x", "# y")),
    ),
    command: fc.oneof(
      { maxDepth: 2, depthIdentifier: "command" },
      { weight: 40, arbitrary: tie("simple") },
      around("(", tie("list"), ")"),
      around("{ ", tie("list"), "; }"),
      around("! ", tie("simple"), ""),
      around("time ", tie("simple"), ""),
      around("coproc ", tie("simple"), ""),
      around("f() { ", tie("list"), "; }"),
      around("function g { ", tie("list"), "\n}"),
      three("if ", tie("list"), "; then ", tie("list"), "; fi"),
      three("while ", tie("list"), "; do ", tie("list"), "; done"),
      three("until ", tie("simple"), "\ndo ", tie("list"), "\ndone"),
      three("for x in ", tie("word"), "; do ", tie("list"), "; done"),
      three("select x in ", tie("word"), "; do ", tie("list"), "; done"),
      three("case ", tie("word"), " in a|b) ", tie("list"), ";; esac"),
      three("case ", tie("word"), " in (*) ", tie("list"), ";& c) ;; esac"),
      three("[[ ", tie("word"), " == ", tie("word"), " ]]"),
      three("[[ -n ", tie("word"), " && ! -f ", tie("word"), " ]]"),
      around("((", fc.constantFrom("x=1", "a[$(evil)]", "1 < 2", "x++ )) || (( 1"), "))"),
      around("for ((i=0; i<3; i++)); do ", tie("list"), "; done"),
      heredoc(tie("simple"), tie("word")),
    ),
    simple: fc
      .tuple(
        fc.constantFrom(...Array.from({ length: 20 }, () => ""), "A=1 ", "LANG=C ", "PATH=. ", "x=$(evil) ", "a[1]=2 "),
        fc.constantFrom(
          ...Array.from({ length: 20 }, () => ""),
          ...WRAPPERS.map((each) => `${each} `),
          "bash -c ",
          "eval ",
        ),
        fc.constantFrom(...PROGRAMS).chain((name) => fc.constantFrom(name, name, name, ...disguises(name))),
        fc.array(fc.tuple(fc.constantFrom(" ", " ", " ", "  ", "\t", " \\\n"), tie("word")), { maxLength: 3 }),
        fc.constantFrom(
          ...Array.from({ length: 20 }, () => ""),
          " > out",
          " 2>&1",
          " >/dev/null",
          " < in",
          " &> log",
          " >| x",
          " {fd}> y",
          "<<< z",
        ),
      )
      .map(([before, wrapper, name, words, after]) => before + wrapper + name + words.flat().join("") + after),
    word: fc.oneof(
      { maxDepth: 3, depthIdentifier: "word" },
      { weight: 5, arbitrary: tie("piece") },
      joined("", tie("piece"), tie("word")),
    ),
    piece: fc.oneof(
      { maxDepth: 3, depthIdentifier: "piece" },
      { weight: 16, arbitrary: fc.constantFrom(...PIECES) },
      around('"', fc.constantFrom("a b", "$x", "\\$(evil)", "a;b", "a && b", "`", '\\"', "'", "#", "!x"), '"'),
      around("'", fc.constantFrom("a b", "$(evil)", "; evil", '"', "\\", "a\nb", "#"), "'"),
      around("$'", fc.constantFrom("\\x41", "\\n", "a\\'b", "\\u0041", "\\c'", "\\\\"), "'"),
      around('"', tie("expansion"), '"'),
      tie("expansion"),
    ),
    expansion: fc.oneof(
      { maxDepth: 3, depthIdentifier: "expansion" },
      { weight: 3, arbitrary: fc.constantFrom("$x", "${x}", "$1", "$@", "$?", "${#x}", "${!x}", "${x@P}", "$$") },
      around("$(", tie("list"), ")"),
      around("$( ", tie("list"), "\n)"),
      around("`", fc.constantFrom("evil", "ls -l", "echo \\`evil\\`", "a; evil"), "`"),
      around("<(", tie("list"), ")"),
      around(">(", tie("simple"), ")"),
      around("${x:-", tie("piece"), "}"),
      around("${x:=", tie("piece"), "}"),
      around("${x/a/", tie("piece"), "}"),
      around("$((", fc.constantFrom("1+1", "x", "a[$(evil)]", "1 + $(evil)"), "))"),
      around("$[", fc.constantFrom("1", "$(evil)"), "]"),
    ),
  }));
  return list;
}

const PIECES = [
  ..."a b.ts -x --long=1 -- *.ts ?x [ab] {a,b} {1..3} ~ ~/x \\; \\| \\  = a=b # a#b ! @ : , % + - ^ / ./x ../y é 漢 \u200b".split(
    " ",
  ),
  "\\\n",
  "\u00a0",
  "\r",
];

const FRAGMENTS = [
  ..."ls rm evil ; && || | & ( ) { } $( ` ' \" \\ <( >( <<E <<-E <<'E' E <<< $x ${ } := [[ ]] (( )) $(( if then fi elif else do done for in case esac ;; while until function select coproc time ! # > < >> >& &> 2>&1 = *".split(
    " ",
  ),
  "\n",
  "\n",
  "\t",
  "\r",
  " ",
  "$'",
  "\\\n",
  "bash -c",
  "eval",
  "f()",
];

/** The same program, spelled so that a text search would miss it. */
function disguises(name: string): string[] {
  const head = name[0]!;
  const tail = name.slice(1);
  return [
    `\\${name}`,
    `'${name}'`,
    `"${name}"`,
    `${head}''${tail}`,
    `${head}\\${tail}`,
    `${head}\\\n${tail}`,
    `/bin/${name}`,
  ];
}

function heredoc(command: fc.Arbitrary<string>, word: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(
      command,
      fc.constantFrom("<<E", "<<'E'", '<<"E"', "<<-E", "<< \\E"),
      word,
      fc.constantFrom("", " | evil", "; ls", " &&"),
    )
    .map(([text, mark, body, after]) => `${text} ${mark}${after}\n${body}\n${after === " &&" ? "E\nls" : "E"}`);
}

const joined = (by: string, left: fc.Arbitrary<string>, right: fc.Arbitrary<string>) =>
  fc.tuple(left, right).map(([a, b]) => a + by + b);

const around = (before: string, inner: fc.Arbitrary<string>, after: string) =>
  inner.map((text) => before + text + after);

const three = (a: string, one: fc.Arbitrary<string>, b: string, two: fc.Arbitrary<string>, c: string) =>
  fc.tuple(one, two).map(([left, right]) => a + left + b + right + c);

/** Where, as a fraction of the length; what is put there; how many characters go. */
type Blow = readonly [at: number, put: string, drop: number];

function damages(): fc.Arbitrary<Blow[]> {
  const put = fc.oneof(
    fc.constant(""),
    fc.constantFrom(..."'\"\\`$(){}[]<>|&;#!~*?=\n\t\r \0\u200b\u00a0\u2028", "E\n", "\n)", "; evil"),
    fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
  );
  const blow = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), put, fc.constantFrom(0, 0, 1, 2));
  return fc.array(blow, { minLength: 1, maxLength: 3 });
}

function damage(text: string, [where, put, drop]: Blow): string {
  const at = Math.floor(where * text.length);
  return text.slice(0, at) + put + text.slice(at + drop);
}
