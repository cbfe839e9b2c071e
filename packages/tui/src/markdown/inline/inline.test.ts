import { expect, test } from "bun:test";
import { paintStyled } from "../../code/styled-text.ts";
import { inlineText } from "./inline.ts";
import { namedTheme } from "../theme.test-support.ts";

function painted(
  text: string,
  options: { hyperlinks?: boolean; backticks?: boolean; unfinished?: boolean } = {},
): string {
  return paintStyled(inlineText(text, { hyperlinks: false, backticks: false, ...options }), namedTheme);
}

test.each([
  ["**b** *i* ~~s~~ `c`", "bold(b) italic(i) strike(s) code(c)"],
  ["__b__ _i_ ***both***", "bold(b) italic(i) bold(italic(both))"],
  ["**a *b* c**", "bold(a )bold(italic(b))bold( c)"],
  ["**open and *closed*", "**open and italic(closed)"],
  ["2 * 3 * 4 and a_b_c", "2 * 3 * 4 and a_b_c"],
  ["``a ` b`` and ` x `", "code(a ` b) and code(x)"],
  ["`open", "`open"],
  ["\\*plain\\* \\[x\\] 1\\. \\d", "*plain* [x] 1. \\d"],
  ["a &lt;b&gt; &amp; &#27; &x;", "a <b> & &#27; &x;"],
  // Names and paths keep their characters.
  ["src/**/*.ts and lib/*.js", "src/**/*.ts and lib/*.js"],
  ["**/*.md, *.ts and *.js", "**/*.md, *.ts and *.js"],
  ["__init__.py and a.__class__ and __main__()", "__init__.py and a.__class__ and __main__()"],
  ["C:\\Users\\_x\\*.ts and \\\\server\\share", "C:\\Users\\_x\\*.ts and \\\\server\\share"],
  ["**src/** and **/tmp**", "bold(src/) and bold(/tmp)"],
  ["~/a and ~/b", "~/a and ~/b"],
  // What is not supported is text.
  ["[text][ref] and [^1] and [x]", "[text][ref] and [^1] and [x]"],
  ["<b>x</b> <br>", "<b>x</b> <br>"],
  ["$a_1 * b_2$", "$a_1 * b_2$"],
])("%s", (text, expected) => {
  expect(painted(text)).toBe(expected);
});

test.each([
  ["[t](https://a.b)", "link(t)dim( (https://a.b))", "<https://a.b>link(t)</>"],
  ['[t](https://a.b "more")', "link(t)dim( (https://a.b))dim( (more))", "<https://a.b>link(t)</>dim( (more))"],
  ["[**t** `c`](https://a.b)", "bold(link(t))link( )code(link(c))dim( (https://a.b))", undefined],
  ["[https://a.b](https://a.b/)", "link(https://a.b)", "<https://a.b/>link(https://a.b)</>"],
  [
    "[https://a.b](https://c.d)",
    "link(https://a.b)dim( (https://c.d))",
    "<https://c.d>link(https://a.b)</>dim( (https://c.d))",
  ],
  ["[t](src/a.ts)", "link(t)dim( (src/a.ts))", "link(t)dim( (src/a.ts))"],
  ["[t](javascript:x)", "link(t)dim( (javascript:x))", "link(t)dim( (javascript:x))"],
  ["[src/a.ts](src/a.ts)", "link(src/a.ts)", "link(src/a.ts)"],
  ["![alt](a.png)", "link(alt)dim( (a.png))", undefined],
  ["![](a.png)", "link(a.png)", undefined],
  ["[![alt](a.png)](https://a.b)", "link(alt)dim( (https://a.b))", "<https://a.b>link(alt)</>"],
  ["<https://a.b>", "link(https://a.b)", "<https://a.b>link(https://a.b)</>"],
  ["<me@a.b>", "link(me@a.b)", "<mailto:me@a.b>link(me@a.b)</>"],
  ["(see https://a.b/c_(d).)", "(see link(https://a.b/c_(d)).)", undefined],
  ["www.a.b, xhttps://a.b", "link(www.a.b), xhttps://a.b", "<https://www.a.b>link(www.a.b)</>, xhttps://a.b"],
  ["[t](https://a.b/(c)) [u](<a b>)", "link(t)dim( (https://a.b/(c))) link(u)dim( (a b))", undefined],
  ["[t](not a link)", "[t](not a link)", "[t](not a link)"],
])("%s", (text, written, linked) => {
  expect(painted(text)).toBe(written);
  if (linked !== undefined) expect(painted(text, { hyperlinks: true })).toBe(linked);
});

test("an address that a terminal may not get is only written", () => {
  expect(painted("[t](https://a.b/é)", { hyperlinks: true })).toBe("link(t)dim( (https://a.b/é))");
});

test("code keeps its backticks where it has no color", () => {
  expect(painted("`a` ``b ` c``", { backticks: true })).toBe("code(`a`) code(``b ` c``)");
});

test("marks that are open apply up to the end while the text continues", () => {
  expect(painted("a **b", { unfinished: true })).toBe("a bold(b)");
  expect(painted("a *b **c", { unfinished: true })).toBe("a italic(b )bold(italic(c))");
  expect(painted("a `b", { unfinished: true })).toBe("a code(b)");
  expect(painted("a **", { unfinished: true })).toBe("a **");
});
