import { expect, test } from "bun:test";
import { blocksFrom, readResult } from "./content.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABXvMqOgAAAABJRU5ErkJggg==";
const WEBP = btoa("RIFF\0\0\0\0WEBPVP8 ");
const text = (value: string) => ({ type: "text", text: value });
const image = (media_type: string, data: string) => ({ type: "image", source: { type: "base64", media_type, data } });

test.each([
  ["text", { type: "text", text: "3" }, [text("3")]],
  ["an image", { type: "image", data: PNG, mimeType: "image/png" }, [image("image/png", PNG)]],
  ["an image with a wrong label", { type: "image", data: WEBP, mimeType: "image/png" }, [image("image/webp", WEBP)]],
  [
    "an image of an unsupported type",
    { type: "image", data: btoa("<svg/>"), mimeType: "image/svg+xml" },
    [text("[Image (image/svg+xml): cannot be shown; only PNG, JPEG, GIF and WebP can]")],
  ],
  [
    "an image that is not base64",
    { type: "image", data: `${PNG.slice(0, 20)}!!`, mimeType: "image/png" },
    [text("[Image (image/png): cannot be shown; only PNG, JPEG, GIF and WebP can]")],
  ],
  [
    "audio",
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    [text("[Audio (audio/wav): this type cannot be shown]")],
  ],
  [
    "a text resource",
    { type: "resource", resource: { uri: "file:///a", text: "hello" } },
    [text("[Resource from calc at file:///a] hello")],
  ],
  [
    "a resource that is an image",
    { type: "resource", resource: { uri: "ui://x", blob: PNG, mimeType: "image/png" } },
    [text("[Resource from calc at ui://x]"), image("image/png", PNG)],
  ],
  [
    "a binary resource",
    { type: "resource", resource: { uri: "ui://x", blob: "AAAA", mimeType: "application/zip" } },
    [text("[Resource from calc at ui://x] 3 bytes of application/zip: this type cannot be shown")],
  ],
  [
    "a link",
    { type: "resource_link", uri: "file:///a", name: "a", description: "the first" },
    [text("[Resource link: a] file:///a (the first)")],
  ],
  ["a bare string", "hello", [text("hello")]],
  ["an unknown type", { type: "hologram", depth: 3 }, [text('{"type":"hologram","depth":3}')]],
  ["text that is not a string", { type: "text", text: 7 }, [text("7")]],
  ["empty text, which the API rejects", { type: "text", text: "" }, []],
  ["null", null, [text("null")]],
])("blocksFrom() converts %s, and converting again changes nothing", (_, item, blocks) => {
  const shown: unknown = blocksFrom([item], "calc");
  expect(shown).toEqual(blocks);
  expect(blocksFrom(shown, "calc")).toEqual(shown as never);
});

test("blocksFrom() replaces lone surrogates, which the API rejects", () => {
  expect(blocksFrom([{ type: "text", text: "a\ud83d" }], "calc")).toEqual([text("a\ufffd")] as never);
});

test("blocksFrom() limits the number and size of images", () => {
  const many: unknown[] = Array.from({ length: 25 }, () => ({ type: "image", data: PNG, mimeType: "image/png" }));
  const shown = blocksFrom(many, "calc");
  expect(shown.filter(({ type }) => type === "image").length).toBe(20);
  expect(shown.at(-1)).toEqual(text("[Image (image/png, 70 bytes): omitted, too large or too many images]"));
  const large = PNG.slice(0, 60) + "A".repeat(6 * 1024 * 1024);
  expect(blocksFrom([{ type: "image", data: large }], "calc")).toEqual([
    text("[Image (image/png, 4718637 bytes): omitted, too large or too many images]"),
  ] as never);
});

test("blocksFrom() limits the number of items and says how many it omitted", () => {
  const shown = blocksFrom(
    Array.from({ length: 100_000 }, () => "x"),
    "calc",
  );
  expect([shown.length, shown.at(-1)]).toEqual([1_001, text("[99000 more content items omitted]")]);
});

test.each([
  ["a number", 7, undefined],
  ["null", null, undefined],
  ["a list", [], undefined],
  ["an object without content", { ok: true }, undefined],
  ["content that is text", { content: "hi" }, { raw: ["hi"], blocks: [text("hi")], isError: false }],
  ["the first protocol version", { toolResult: "hi" }, { raw: ["hi"], blocks: [text("hi")], isError: false }],
  ["nothing at all", {}, { raw: [], blocks: [], isError: false }],
  ["a note for clients", { content: [], _meta: { a: 1 } }, { raw: [], blocks: [], meta: { a: 1 }, isError: false }],
  ["no content", { content: [] }, { raw: [], blocks: [], isError: false }],
  ["an error flag that is not a boolean", { content: [], isError: "yes" }, { raw: [], blocks: [], isError: false }],
  [
    "structured content only",
    { structuredContent: { n: 1 } },
    { raw: [], blocks: [], structured: { n: 1 }, isError: false },
  ],
])("readResult() reads %s", (_, result, read) => {
  expect(readResult(result, "calc") as unknown).toEqual(read);
});

test("blocksFrom() names the files of binary parts, which are also saved if they cannot be shown", () => {
  const saved = (data: string) => ({ path: `/files/${data.length}` });
  const svg = btoa("<svg/>");
  const content = [
    { type: "audio", data: "AAA=", mimeType: "audio/wav" },
    { type: "image", data: PNG, mimeType: "image/png" },
    { type: "image", data: svg, mimeType: "image/svg+xml" },
    { type: "resource", resource: { uri: "x:1", blob: "AAAAAA==" } },
    { type: "resource", resource: { uri: "x:2", blob: PNG } },
    { type: "resource", resource: { uri: "x:3", text: "plain" } },
  ];
  expect(blocksFrom(content, "calc", saved)).toEqual([
    text("[Audio from calc] Binary content (audio/wav, 2 bytes) saved to /files/4"),
    image("image/png", PNG),
    text("[Image: source: /files/96]"),
    text("[Image from calc] Binary content (image/svg+xml, 6 bytes) saved to /files/8"),
    text("[Resource from calc at x:1] Binary content (unknown type, 4 bytes) saved to /files/8"),
    text("[Resource from calc at x:2]"),
    image("image/png", PNG),
    text("[Image: source: /files/96]"),
    text("[Resource from calc at x:3] plain"),
  ] as never);
});

test("blocksFrom() shows images as they were made to fit, and describes those that cannot be shown", () => {
  const small = { base64: "AAAA", mediaType: "image/jpeg" };
  const content = [{ type: "image", data: PNG, mimeType: "image/png" }];
  expect(blocksFrom(content, "calc", () => ({ image: small }))).toEqual([image("image/jpeg", "AAAA")] as never);
  expect(blocksFrom(content, "calc", () => ({ image: null }))).toEqual([
    text("[Image (image/png): omitted, damaged or too large]"),
  ] as never);
  expect(blocksFrom(content, "calc", () => ({ image: null, path: "/p.png" }))).toEqual([
    text("[Image from calc] Binary content (image/png, 70 bytes) saved to /p.png"),
  ] as never);
});
