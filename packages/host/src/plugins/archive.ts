// Unpacks an archive of a plugin in memory: zip or tar, packed with gzip or not.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { fileHash } from "./content-hash.ts";
import { LIMITS, mib, PluginFetchError, withoutWrapper, type PluginFile } from "./plugin-files.ts";
import { readTar } from "./tar.ts";
import { isZip, readZip } from "./zip.ts";

/** `sha256`: what its digest must be, in hex. */
export function readArchive(bytes: Uint8Array, sha256?: string): readonly PluginFile[] {
  if (sha256 !== undefined && fileHash(bytes) !== sha256.toLowerCase().replace(/^sha256:/, "")) {
    throw new PluginFetchError(`The archive does not have the expected sha256; it has ${fileHash(bytes)}`);
  }
  const files = withoutWrapper(isZip(bytes) ? readZip(bytes) : readTar(bytes));
  if (files.length === 0) throw new PluginFetchError("The archive has no files");
  return files;
}

export function readArchiveFile(path: string): readonly PluginFile[] {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new PluginFetchError(`${path} is neither a folder nor an archive`);
    if (stat.size > LIMITS.archiveBytes)
      throw new PluginFetchError(`${path} is larger than ${mib(LIMITS.archiveBytes)}`);
    return readArchive(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}
