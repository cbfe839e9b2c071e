// A picture that was dragged into the window: the session reads the file, by its rules.

import { imageType } from "@keelson/protocol/image-type";
import type { PastedImage } from "../../host.ts";
import { RequestError, type Requests } from "@keelson/client";

/** Larger ones are refused by every model, whatever is done to them; and what a session reads at most. */
const MOST_BYTES = 10 * 1024 * 1024;

/** Undefined if the file is no picture, too large, or may not be read. */
export async function readDroppedImage(path: string, requests: Requests): Promise<PastedImage | undefined> {
  try {
    const file = await requests.request("read_file", { path, encoding: "base64", max_bytes: MOST_BYTES });
    const mediaType = file.truncated ? undefined : imageType(file.contents);
    const name = file.absPath.split(/[\\/]/).at(-1);
    return mediaType && { mediaType, base64: file.contents, ...(name === undefined ? {} : { name }) };
  } catch (error) {
    if (error instanceof RequestError) return undefined;
    throw error;
  }
}
