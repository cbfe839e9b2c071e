import { expect, test } from "bun:test";
import { pageText } from "./page-text.ts";

const page = (body: string | readonly number[] | Uint8Array, contentType = "text/html") =>
  pageText({
    url: "https://example.com/",
    contentType,
    body: typeof body === "string" ? Buffer.from(body) : Uint8Array.from(body),
  });
const text = (...given: Parameters<typeof page>) => {
  const found = page(...given);
  return found.kind === "text" ? found.text : found;
};
const latin1 = (body: string) => Buffer.from(body, "latin1");

test.each([
  ["the header", latin1("<p>caf\xe9"), "text/html; charset=ISO-8859-1", "café"],
  ["the page", latin1('<meta charset="windows-1252"><p>caf\xe9'), "text/html", "café"],
  [
    "an older form in the page",
    latin1('<meta http-equiv=x content="text/html; charset=latin1"><p>\xe9'),
    "text/html",
    "é",
  ],
  ["the header before the page", Buffer.from('<meta charset="latin1"><p>é'), "text/html;charset=utf-8", "é"],
  ["a mark before the header", Buffer.from("\ufeff<p>é"), "text/html; charset=latin1", "é"],
  ["UTF-16 by its mark", Buffer.from("\ufeff<p>é", "utf16le"), "text/html", "é"],
  ["a page that is wrong about UTF-16", Buffer.from('<meta charset="utf-16"><p>é'), "text/html", "é"],
  ["a character set that no one knows", Buffer.from("<p>é"), "text/html; charset=nonsense", "é"],
  ["bytes that are no UTF-8", latin1("<p>caf\xe9 au lait"), "text/html", "café au lait"],
  ["a last byte that is no UTF-8", latin1("<p>caf\xe9"), "text/html", "café"],
  ["bytes that are not what the header says", latin1("<p>caf\xe9 au"), "text/html; charset=utf-8", "caf\ufffd au"],
  ["Japanese", Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67]), "text/plain; charset=shift_jis", "テスト"],
])("decodes by %s", (_, body, type, expected) => {
  expect(text(body, type)).toBe(expected);
});

test("only HTML is converted", () => {
  expect(text("# A\n\n<b>b</b>", "text/markdown")).toBe("# A\n\n<b>b</b>");
  expect(text('{"a":"<b>"}', "application/json")).toBe('{"a":"<b>"}');
  expect(text("<a><b>1</b></a>", "application/xml")).toBe("<a><b>1</b></a>");
  expect(text("<!doctype html><b>x</b>", "")).toBe("**x**");
  expect(text("<!-- c --><html><b>x</b>", "text/plain")).toBe("**x**");
  expect(text("just text", "application/octet-stream")).toBe("just text");
});

test("bytes that are no text are named", () => {
  expect(page("%PDF-1.4", "application/pdf; x=y")).toEqual({ kind: "binary", type: "application/pdf" });
  expect(page([137, 80, 78, 71, 0, 1], "")).toEqual({ kind: "binary", type: "application/octet-stream" });
  expect(page("GIF89a\0", "call the user; now")).toEqual({ kind: "binary", type: "application/octet-stream" });
  expect(page([60, 112, 62, 0, 1], "text/html")).toEqual({ kind: "binary", type: "text/html" });
});

test("characters that no one sees are left out", () => {
  const tags = String.fromCodePoint(0xe0049, 0xe0067, 0xe006e);
  expect(text(`<p>a${tags}b\u202ec\u0000&#7;d\u200be</p>`.replace("\u0000", ""))).toBe("abcde");
});
