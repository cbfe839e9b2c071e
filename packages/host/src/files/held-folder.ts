// Holds a folder open for a tool, so that work in it stays in it even if its path is replaced by a link.

import { ToolError } from "@keelson/engine";
import { holdOwnFolder, NotOurFileError, type HeldFolder, type HoldOptions } from "@keelson/disk/own-files";
import { replacedMessage } from "./regular-file.ts";

/** Takes a path without links and creates missing folders. Throws if one has been replaced by a link. */
export function holdFolder(path: string): HeldFolder {
  return hold(path, { create: 0o777 });
}

/** Like `holdFolder`, but creates nothing. */
export function holdExistingFolder(path: string): HeldFolder {
  return hold(path, {});
}

function hold(path: string, options: HoldOptions): HeldFolder {
  try {
    return holdOwnFolder(path, options);
  } catch (error) {
    if (error instanceof NotOurFileError) throw new ToolError(replacedMessage(path));
    if (options.create !== undefined) throw error;
    throw new ToolError(`'${path}' cannot be opened (${(error as NodeJS.ErrnoException).code}).`);
  }
}
