import { expect, test } from "bun:test";
import { growth } from "@keelson/testkit";
import { htmlToMarkdown } from "./markdown.ts";

const URL = "https://example.com/docs/page";
const md = (html: string) => htmlToMarkdown(html, URL).markdown;

test.each([
  ["<h1>Title</h1><p>One <b>bold</b> and <em>soft</em>.</p>", "Title\n=====\n\nOne **bold** and _soft_."],
  ["<h2>Two</h2><h3>Three</h3>", "Two\n---\n\n### Three"],
  ["<p>a<p>b<br>c", "a\n\nb\nc"],
  ["a &amp; b &lt;c&gt; &#8212; &#x2014; &copy; &unknown; &nbsp;x", "a & b <c> — — © &unknown; x"],
  ["<ul><li>a<li>b<ul><li>c</ul><li>d</ul>x", "- a\n- b\n  - c\n- d\n\nx"],
  ["<ol start=3><li><p>a</p><p>b</p></li><li>c</li></ol>", "3. a\n\n   b\n4. c"],
  ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n\n> b"],
  ['<pre><code class="language-js">if (a &lt; b) {\n  c();\n}\n</code></pre>', "```js\nif (a < b) {\n  c();\n}\n```"],
  ["<pre>a ``` b</pre>", "````\na ``` b\n````"],
  ["<p>run <code>a`b</code> or <code>c</code>", "run `` a`b `` or `c`"],
  ['<a href="/x?a=1&amp;b=2">l</a>', "[l](https://example.com/x?a=1&b=2)"],
  ['<a href="y">l</a> <a href="#z">m</a> <a href="javascript:x()">n</a>', "[l](https://example.com/docs/y) m n"],
  ['<base href="https://other.org/b/"><base href="/no/"><a href="c">l</a>', "[l](https://other.org/b/c)"],
  [
    '<a href="/c"><h2>Card</h2><p>Text</p></a>',
    "[Card](https://example.com/c)\n".concat("-".repeat(29), "\n\n[Text](https://example.com/c)"),
  ],
  [
    '<img alt="A" src="i.png"><img src="t.gif"><img alt="D" src="data:image/png;base64,xx">',
    "![A](https://example.com/docs/i.png)D",
  ],
  [
    "<table><thead><tr><th>a<th>b<tbody><tr><td>1|2<td><p>x</p><p>y</p></table>",
    "| a | b |\n| --- | --- |\n| 1\\|2 | x y |",
  ],
  ["<table><tr><td>only<tr><td>one column</table>", "only\n\none column"],
  ["<p>a</p><hr><p>b</p>", "a\n\n* * *\n\nb"],
  ["a <!-- b --> c <!DOCTYPE x> d <?php e ?> f", "a c d f"],
  ["1 < 2 and 3 > 2", "1 < 2 and 3 > 2"],
  ["<p title='a>b'>c</p>", "c"],
])("%j", (html, expected) => {
  expect(md(html)).toBe(expected);
});

test("the title is apart from the text", () => {
  expect(htmlToMarkdown("<head><title> A &amp; B\n</title></head><body>text", URL)).toEqual({
    title: "A & B",
    markdown: "text",
  });
});

test("scripts, styles and hidden text are left out", () => {
  const html = `<body style="visibility:hidden"><style>p{}</style><script>if (a</b) "</p>"</script>
    <p hidden>1</p><div style="display: none">2<div>3</div></div><span aria-hidden=true>4</span>
    <p style="font-size:0">5<p>shown</p><template>6</template><svg><text>7</text></svg>
    <iframe>8</iframe><noscript>without scripts</noscript><select><option>9</select>`;
  expect(md(html)).toBe("shown\n\nwithout scripts");
});

test("navigation is left out, unless there is nothing else", () => {
  const page = `<nav>menu</nav><main>${"text ".repeat(60)}</main><footer>imprint</footer>`;
  expect(md(page)).toBe("text ".repeat(60).trim());
  expect(md("<nav>menu</nav><p>x")).toBe("menu\n\nx");
});

const HOSTILE: readonly (readonly [string, (n: number) => string])[] = [
  ["nested blocks", (n) => `${"<div>".repeat(n)}x`],
  ["nested lists", (n) => `${"<ul><li>".repeat(n)}x`],
  ["nested emphasis", (n) => `${"<b><i>".repeat(n)}x`],
  ["nested emphasis with blocks", (n) => "<b>a<p>".repeat(n)],
  ["nested quotes with lines", (n) => "<blockquote>a<br>b".repeat(n)],
  ["nested tables", (n) => "<table><tr><td>a".repeat(n)],
  ["closed in the wrong order", (n) => "<b><ul><a href=x></b></ul>a".repeat(n)],
  ["tags that are not closed", (n) => "<p>a<li>b<td>c".repeat(n)],
  ["less-than signs", (n) => "<".repeat(n)],
  ["comments that are not closed", (n) => "<!--".repeat(n)],
  ["scripts that are not closed", (n) => "<script>".repeat(n)],
  ["scripts that are closed wrongly", (n) => `<script>${"</scrip".repeat(n)}`],
  ["quotes that are not closed", (n) => `<a href="x`.repeat(n)],
  ["a long attribute", (n) => `<a href="${"x".repeat(10 * n)}" title='${"y".repeat(n)}'>a</a>`],
  ["many attributes", (n) => `<a ${"b=c ".repeat(n)}>a</a>`],
  ["a long name", (n) => `<${"a".repeat(n)}>x`],
  ["spaces in a tag", (n) => `<a ${" ".repeat(n)}b>a`],
  ["ampersands", (n) => "&".repeat(n) + "&#".repeat(n)],
  ["spaces", (n) => `a${" ".repeat(n)}b${" \n".repeat(n)}c`],
  ["line breaks", (n) => `a${"<br> ".repeat(n)}b`],
  ["a wide table", (n) => `<table><tr>${"<td>a".repeat(n)}${"<tr><td>b<td>c".repeat(n)}</table>`],
  ["hidden in hidden", (n) => "<div hidden>".repeat(n) + "</div>".repeat(n)],
  ["backticks", (n) => `<pre>${"`".repeat(n)}</pre>`],
];

test.each(HOSTILE)("100,000 %s are converted, in time that grows with their number only", (_, page) => {
  expect(md(page(100_000)).length).toBeLessThan(6_000_000);
  const pages = new Map([2_000, 16_000].map((n) => [n, page(n)]));
  expect(growth((n) => md(pages.get(n)!), { from: 2_000, to: 16_000 })).toBeLessThan(40);
});

const PIECES = [
  ..."<div> </div> <p> <ul> <ol> <li> </ul> <table> <tr> <td> </td> </table> <pre> </pre> <code> </code> <b> </b> <h1> </h1> <br> <hr>".split(
    " ",
  ),
  ...'<a href="x"> </a> <a href=\'y> <div hidden> <nav> </nav> <!-- --> <script> </script> <title> </title> & &amp; &#0; < > " =\''.split(
    " ",
  ),
  ..."\n text ``` | \u0000 \ud800 \u202e".split(" "),
];

test("random pages are converted without an error, and no script is shown", () => {
  // Always the same pages: a small generator with a fixed start.
  let seed = 7;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 2_000; round++) {
    const pieces = Array.from({ length: next(60) }, () => PIECES[next(PIECES.length)]!);
    const html = pieces.join(next(2) === 0 ? "" : " ");
    const { markdown, title } = htmlToMarkdown(`${html}</pre></title><!-- --><script>SECRET</script>`, URL);
    expect(`${markdown}${title}`.includes("SECRET") && !/<title>|<script>|"|'|<!--/.test(html)).toBe(false);
    expect(markdown.length).toBeLessThan(50 * html.length + 1_000);
  }
});
