import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { lineHighlighter } from "./code-colors.ts";

test.each([
  [
    "ts",
    "const a: string = `x${f(1)}y`; // done",
    "keyword(const) a: type(string) = string(`x)${name(f)(number(1))}string(y`); comment(// done)",
  ],
  ["ts", "return /a[/]b/g.test(x) / 2", "keyword(return) string(/a[/]b/g).name(test)(x) / number(2)"],
  ["ts", "a.default = new Map<Key>()", "a.default = keyword(new) type(Map)<type(Key)>()"],
  ["js", "'it\\'s'", "string('it\\'s')"],
  ["json", '{"a": [1, true, "b"]}', '{name("a"): [number(1), keyword(true), string("b")]}'],
  ["python", "@x\ndef f(a): # c", "name(@x)\nkeyword(def) name(f)(a): comment(# c)"],
  ["py", 'a = """one\ntwo""" + b', 'a = string("""one)\nstring(two""") + b'],
  ["go", "func (s *Server) Run() error {", "keyword(func) (s *type(Server)) name(Run)() type(error) {"],
  ["rust", "fn f<'a>(c: char) -> &'a str { 'x' }", "keyword(fn) f<'a>(c: type(char)) -> &'a type(str) { string('x') }"],
  ["java", "public int x = 0x1F;", "keyword(public) type(int) x = number(0x1F);"],
  [
    "c++",
    "#include <a>\nint main() { /* a\nb */ }",
    "#keyword(include) <a>\ntype(int) name(main)() { comment(/* a)\ncomment(b */) }",
  ],
  ["c#", 'var s = @"a\nb";', 'keyword(var) s = string(@"a)\nstring(b");'],
  ["ruby", 'puts "a#{b}c"', 'puts string("a)#{b}string(c")'],
  ["php", "$a = strlen('x');", "name($a) = name(strlen)(string('x'));"],
  [
    "bash",
    'if [ -f "$x" ]; then echo a#b # c',
    'keyword(if) [ -f string("$x") ]; keyword(then) keyword(echo) a#b comment(# c)',
  ],
  ["sql", "SELECT count(*) FROM t -- all", "keyword(SELECT) name(count)(*) keyword(FROM) t comment(-- all)"],
  [
    "html",
    '<a href="x">b &amp; c</a><!-- d\ne -->',
    'keyword(<a) name(href)=string(")string(x")keyword(>)b number(&amp;) ckeyword(</a)keyword(>)comment(<!-- d)\ncomment(e -->)',
  ],
  ["css", "a:hover {\n  color: red;\n}", "a:hover {\n  name(color): red;\n}"],
  ["yaml", "- a-b: 'x' # c", "- name(a-b): string('x') comment(# c)"],
  ["toml", '[a.b]\nc = "d"', 'type([a.b])\nname(c) = string("d")'],
  ["dockerfile", "FROM node:20 AS run", "keyword(FROM) node:number(20) AS run"],
  ["makefile", "build: $(SRC)\n\tcc -o x", "name(build): $(SRC)\n\tcc -o x"],
  ["diff", "@@ -1 +1 @@\n-a\n+b\n c", "accent(@@ -1 +1 @@)\nremoved(-a)\nadded(+b)\n c"],
  ["markdown", "# A\n- `b` c", "heading(# A)\nkeyword(- )string(`b`) c"],
  ["ts", "\tif (\t/a/.test(b)) {", "\tkeyword(if) (\tstring(/a/).name(test)(b)) {"],
  ["unknown", "if (a) {}", "if (a) {}"],
])("%s: %j", (language, code, colored) => {
  expect(named(code, language)).toBe(colored);
});

/** With the styles as signs: `keyword(if)`. */
function named(code: string, language: string): string {
  const highlighter = lineHighlighter(language);
  const row = (line: string) => {
    const parts = highlighter.line(line);
    return parts.map(({ text, styles: [style] }) => (style ? `${style}(${text})` : text)).join("");
  };
  return code.split("\n").map(row).join("\n");
}

const NAMES = "ts json python go rust java c cs ruby php sh sql html css yaml toml dockerfile makefile diff md x".split(
  " ",
);

test("every character of the code is kept, and a fork colors the next line without changing anything", () => {
  const code =
    'a\tb \u001b[2J \'x "y `z${ /* // # <a href= &amp; \\ \n}`" */ -- é中👩‍💻 0x1 1.5e3 @a $b /re/ [c]\n\n  : = ;';
  for (const name of NAMES) {
    const highlighter = lineHighlighter(name);
    for (const line of code.split("\n")) {
      const guessed = highlighter.fork().line(line);
      const parts = highlighter.line(line);
      expect(parts.map(({ text }) => text).join("")).toBe(line);
      expect(guessed).toEqual(parts);
    }
  }
});

test.each([
  ["ts", "`${ '/a[ "],
  ["ts", "a /"],
  ["html", "<a b='"],
  ["yaml", "a: b "],
  ["dockerfile", "a "],
])("a line of %s made of %j costs what it is long", (language, part) => {
  const filled = (size: number) => part.repeat(Math.ceil(size / part.length)).slice(0, size);
  // Ten times the text may cost ten times as much; quadratic work would cost a hundred times as much.
  expect(growth((size) => lineHighlighter(language).line(filled(size)), { from: 2_000, to: 20_000 })).toBeLessThan(40);
});
