// Reads images: small ones are sent unchanged, large ones are scaled down to a size the model can use.

import { kilobytes, ToolError } from "@keelson/engine";
import type { ContentBlock, ImageBlock } from "@keelson/protocol";
import type { ImageRead } from "./output.ts";

/** The API scales larger images down itself; sending more only costs time. */
const MAX_EDGE = 1_568;
/** The API rejects images over 5 MB of base64, which adds a third. */
const MAX_BYTES = 3_750_000;
/** Each takes four bytes when decoded; a small file must not become gigabytes. */
const MAX_PIXELS = 100_000_000;
/** Those that the API accepts. */
const FORMATS = ["png", "jpeg", "gif", "webp"];

export async function readImage(filePath: string, bytes: Uint8Array): Promise<ImageRead> {
  const { width, height, format } = await measure(filePath, bytes);
  const isSmall = Math.max(width, height) <= MAX_EDGE && bytes.length <= MAX_BYTES;
  if (isSmall) await checkDecodes(filePath, bytes);
  const picture = isSmall ? { bytes, format, width, height } : await shrink(filePath, bytes, format);
  return {
    type: "image",
    file: {
      base64: Buffer.from(picture.bytes).toString("base64"),
      type: `image/${picture.format}`,
      originalSize: bytes.length,
      dimensions: {
        originalWidth: width,
        originalHeight: height,
        displayWidth: picture.width,
        displayHeight: picture.height,
      },
    },
  };
}

/** The image as `readImage` would show it. What is no readable image stays, unless the API refuses it for its size. */
export async function fitImage(block: ContentBlock): Promise<ContentBlock> {
  const { source } = block as ImageBlock;
  if (block.type !== "image" || source?.type !== "base64" || typeof source.data !== "string") return block;
  const bytes = Buffer.from(source.data, "base64");
  try {
    const { width, height, format } = await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).metadata();
    const isSmall = Math.max(width, height) <= MAX_EDGE && bytes.length <= MAX_BYTES && FORMATS.includes(format);
    const shown = isSmall ? { bytes, format } : await shrink("prompt", bytes, format);
    const media_type = `image/${shown.format}` as ImageBlock["source"]["media_type"];
    if (isSmall && media_type === source.media_type) return block;
    const data = isSmall ? source.data : Buffer.from(shown.bytes).toString("base64");
    return { ...block, source: { ...source, media_type, data } } as ContentBlock;
  } catch {
    if (bytes.length <= MAX_BYTES) return block;
    return { type: "text", text: `[Image (${kilobytes(bytes.length)}): omitted, damaged or too large]` };
  }
}

async function measure(filePath: string, bytes: Uint8Array) {
  const metadata = await new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).metadata().catch((error: Error) => {
    throw new ToolError(`Cannot read the image '${filePath}': ${error.message}`);
  });
  if (!FORMATS.includes(metadata.format)) {
    throw new ToolError(`Cannot read the image '${filePath}': it is a ${metadata.format}; convert it to PNG first`);
  }
  return metadata;
}

/** The API rejects a broken image, and would reject every later request too, so decode it once here. */
async function checkDecodes(filePath: string, bytes: Uint8Array): Promise<void> {
  await new Bun.Image(bytes, { maxPixels: MAX_PIXELS })
    .resize(1, 1)
    .png()
    .bytes()
    .catch((error: Error) => {
      throw new ToolError(`Cannot read the image '${filePath}': ${error.message}`);
    });
}

async function shrink(filePath: string, bytes: Uint8Array, format: string) {
  const scaled = () =>
    new Bun.Image(bytes, { maxPixels: MAX_PIXELS }).resize(MAX_EDGE, MAX_EDGE, {
      fit: "inside",
      withoutEnlargement: true,
    });
  try {
    // JPEG stays JPEG; PNG keeps transparency and sharp edges for everything else, if it fits.
    let image = format === "jpeg" ? scaled().jpeg({ quality: 85 }) : scaled().png();
    let result = await image.bytes();
    let outputFormat = format === "jpeg" ? "jpeg" : "png";
    if (result.length > MAX_BYTES) {
      image = scaled().jpeg({ quality: 75 });
      result = await image.bytes();
      outputFormat = "jpeg";
    }
    if (result.length > MAX_BYTES) {
      throw new Error(`it is still ${kilobytes(result.length)} after scaling`);
    }
    return { bytes: result, format: outputFormat, width: image.width, height: image.height };
  } catch (error) {
    throw new ToolError(`Cannot scale the image '${filePath}': ${(error as Error).message}`);
  }
}
