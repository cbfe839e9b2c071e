// Files, dropped or chosen, to images that a prompt can carry: of the kinds that models read, and not larger than a message may be.

import { attachedImage, type AttachedImage } from "./images.ts";

/** What models read as it is. */
const KINDS = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Models see no more of it. */
const MOST_PIXELS = 1_568;
const MOST_BYTES = 350_000;
/** Of all together, encoded: a message may have 1 MB. */
const MOST_CHARS = 950_000;
const QUALITIES = [0.9, 0.75, 0.5, 0.3];

/** Rejects with an error for the user. */
export const readImages = (files: readonly File[]): Promise<readonly AttachedImage[]> =>
  Promise.all(files.map(readImage));

/** Those that are there already, and these. Throws an error for the user. */
export function withImages(
  before: readonly AttachedImage[],
  added: readonly AttachedImage[],
): readonly AttachedImage[] {
  const all = [...before, ...added];
  if (all.reduce((chars, { url }) => chars + url.length, 0) > MOST_CHARS)
    throw new Error("These images are too large together; send some of them with another prompt");
  return all;
}

async function readImage(file: File): Promise<AttachedImage> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) throw new Error(`"${file.name}" is not an image that this browser can read`);
  const longest = Math.max(picture.width, picture.height);
  const isReady = KINDS.includes(file.type) && file.size <= MOST_BYTES && longest <= MOST_PIXELS;
  const blob = isReady ? file : await smaller(picture, Math.min(1, MOST_PIXELS / longest));
  return attachedImage(blob.type, await base64(blob));
}

async function smaller(picture: ImageBitmap, scale: number): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const encoded = (type: string, quality?: number) =>
    new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality));
  // Screenshots stay sharp if they fit.
  let blob = await encoded("image/png");
  for (const quality of QUALITIES) {
    if (blob !== null && blob.size <= MOST_BYTES) break;
    blob = await encoded("image/jpeg", quality);
  }
  if (blob === null) throw new Error("The image could not be made smaller");
  return blob;
}

async function base64(blob: Blob): Promise<string> {
  const reader = new FileReader();
  const read = new Promise<string>((resolve, reject) => {
    reader.addEventListener("load", () => resolve(String(reader.result)));
    reader.addEventListener("error", () => reject(new Error("The image could not be read")));
  });
  reader.readAsDataURL(blob);
  const url = await read;
  return url.slice(url.indexOf(",") + 1);
}

/** Files that are dropped anywhere on the page: a browser would show them instead of it. */
export function takeDropped(attach: (files: Iterable<File>) => void, signal: AbortSignal): void {
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  };
  const drop = (event: DragEvent) => {
    const { files } = event.dataTransfer ?? {};
    if (files === undefined || files.length === 0) return;
    event.preventDefault();
    attach(files);
  };
  document.addEventListener("dragover", over, { signal });
  document.addEventListener("drop", drop, { signal });
}
