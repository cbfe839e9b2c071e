import { expect, test } from "bun:test";
import { answer, call, toolWorld } from "../tool-world.test-support.ts";
import type { ImageRead } from "./output.ts";
import { readFileTool } from "./read.ts";

test("a small image is sent unchanged", async () => {
  using world = toolWorld();
  const png = await new Bun.Image(bitmap(8, 4)).png().bytes();
  world.put("a.png", png);
  const base64 = Buffer.from(png).toString("base64");
  expect(await call(readFileTool, { file_path: "a.png" }, world.context)).toEqual({
    type: "image",
    file: {
      base64,
      type: "image/png",
      originalSize: png.length,
      dimensions: { originalWidth: 8, originalHeight: 4, displayWidth: 8, displayHeight: 4 },
    },
  });
  expect(await answer(readFileTool, { file_path: "a.png" }, world.context)).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: base64 } },
  ]);
});

test("a large image is scaled to 1568 pixels on its long edge", async () => {
  using world = toolWorld();
  world.put("a.jpg", await new Bun.Image(bitmap(2_000, 500)).jpeg().bytes());
  const { file } = (await call(readFileTool, { file_path: "a.jpg" }, world.context)) as ImageRead;
  expect(file.dimensions).toEqual({
    originalWidth: 2_000,
    originalHeight: 500,
    displayWidth: 1_568,
    displayHeight: 392,
  });
  const sent = await new Bun.Image(Buffer.from(file.base64, "base64")).metadata();
  expect({ ...sent, type: file.type }).toEqual({ width: 1_568, height: 392, format: "jpeg", type: "image/jpeg" });
});

test("the media type comes from the content, not from the file name", async () => {
  using world = toolWorld();
  world.put("a.png", await new Bun.Image(bitmap(2, 2)).webp().bytes());
  world.put("b.png", bitmap(2, 2));
  world.put("c.png", "no picture");
  const png = await new Bun.Image(bitmap(200, 200)).png().bytes();
  world.put("torn.png", png.subarray(0, png.length - 60));
  const { file } = (await call(readFileTool, { file_path: "a.png" }, world.context)) as ImageRead;
  expect(file.type).toBe("image/webp");
  expect(await answer(readFileTool, { file_path: "b.png" }, world.context)).toContain(
    "it is a bmp; convert it to PNG first",
  );
  expect(await answer(readFileTool, { file_path: "c.png" }, world.context)).toStartWith(
    "failed: Cannot read the image",
  );
  expect(await answer(readFileTool, { file_path: "torn.png" }, world.context)).toStartWith(
    "failed: Cannot read the image",
  );
});

/** An uncompressed BMP, which is easy to generate. */
function bitmap(width: number, height: number): Uint8Array {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height, 0x7f);
  bytes.fill(0, 0, 54);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}
