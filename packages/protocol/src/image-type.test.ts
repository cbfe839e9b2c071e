import { expect, test } from "bun:test";
import { imageType } from "./image-type.ts";

const IMAGES: readonly (readonly [string, string | undefined])[] = [
  ["\x89PNG\r\n\x1a\n0000", "image/png"],
  ["\xff\xd8\xff\xe0 jfif", "image/jpeg"],
  ["GIF89a......", "image/gif"],
  ["RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp"],
  ["RIFF\x10\x00\x00\x00WAVEfmt ", undefined],
  ["<svg></svg>", undefined],
  ["", undefined],
];
test.each(IMAGES)("imageType() of %p is %p", (bytes, expected) => {
  expect<string | undefined>(imageType(btoa(bytes))).toBe(expected);
});
