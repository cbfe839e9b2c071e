import { expect, test } from "bun:test";
import { mayShow, queryWithDomains, textWithin } from "./search-domains.ts";

const lists = (allowed: readonly string[], blocked: readonly string[] = []) => ({ allowed, blocked });

test.each([
  ["https://e.com/", ["e.com"], true],
  ["https://www.e.com/x", ["e.com"], true],
  ["https://note.com/", ["e.com"], false],
  ["https://e.com.evil.org/", ["e.com"], false],
  ["https://e.com/blog/1", ["e.com/blog"], true],
  ["https://e.com/blogger", ["e.com/blog"], false],
  ["https://e.com/", ["https://E.com/"], true],
  ["https://a.e.com/", ["*.e.com"], true],
  ["https://f.com/", ["e.com", "f.com"], true],
  ["ftp://e.com/", ["e.com"], false],
  ["javascript:alert(1)", [], false],
  ["not an address", [], false],
  ["https://e.com/", [""], false],
  ["https://e.com./", ["e.com"], true],
  ["https://bücher.example/", ["bücher.example"], true],
] as const)("mayShow(%s) with %j is %p", (url, domains, allowed) => {
  expect(mayShow(url, lists(domains))).toBe(allowed);
  if (domains.length > 0 && allowed) expect(mayShow(url, lists([], domains))).toBe(false);
});

test("queryWithDomains() adds what search engines know", () => {
  expect([
    queryWithDomains({ query: "a b", ...lists([]) }),
    queryWithDomains({ query: "a b", ...lists(["e.com"]) }),
    queryWithDomains({ query: "a b", ...lists(["e.com", "f.com"]) }),
    queryWithDomains({ query: "a b", ...lists([], ["e.com", "f.com"]) }),
  ]).toEqual(["a b", "a b site:e.com", "a b (site:e.com OR site:f.com)", "a b -site:e.com -site:f.com"]);
});

test("textWithin() leaves out paragraphs about other pages", () => {
  const text = "One https://e.com/a\n\nTwo [x](https://f.com/b)\n\nThree";
  expect([
    textWithin(text, lists([])),
    textWithin(text, lists(["e.com"])),
    textWithin(text, lists([], ["f.com"])),
  ]).toEqual([text, "One https://e.com/a", "One https://e.com/a\n\nThree"]);
});
