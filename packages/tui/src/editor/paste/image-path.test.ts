import { expect, test } from "bun:test";
import { imagePaths } from "./image-path.ts";

test.each([
  ["/tmp/a.png", ["/tmp/a.png"]],
  ["  /tmp/a.JPG\n", ["/tmp/a.JPG"]],
  ["'/tmp/a b.png'", ["/tmp/a b.png"]],
  ['"/tmp/a b.webp"', ["/tmp/a b.webp"]],
  ["/tmp/a\\ b\\(1\\).jpeg", ["/tmp/a b(1).jpeg"]],
  ["/tmp/Screen Shot 1.png", ["/tmp/Screen Shot 1.png"]],
  ["file:///tmp/a%20b.png", ["/tmp/a b.png"]],
  ["file://localhost/tmp/a.gif", ["/tmp/a.gif"]],
  ["~/a.png", ["~/a.png"]],
  ["/tmp/a.png /tmp/b.png", ["/tmp/a.png", "/tmp/b.png"]],
  ["'/tmp/a.png' '/tmp/b c.png'", ["/tmp/a.png", "/tmp/b c.png"]],
  ["shot.png", ["shot.png"]],
  ["C:\\pics\\a.png", ["C:\\pics\\a.png"]],
])("%j", (text, paths) => {
  expect(imagePaths(text)).toEqual(paths);
});

test.each(["", "look at shot.png", "/tmp/a.txt", "png", "'/tmp/a.png", "see /tmp/a.png please", "a.png\nand more"])(
  "%j is no image",
  (text) => {
    expect(imagePaths(text)).toBeUndefined();
  },
);
