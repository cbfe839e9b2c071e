export { readArchive, readArchiveFile } from "./archive.ts";
export { contentHash, fileHash } from "./content-hash.ts";
export { download } from "./download.ts";
export { readFolder } from "./folder-files.ts";
export { fetchGit, type GitSource } from "./git-source.ts";
export { fetchNpm, missingPackages } from "./npm/npm-source.ts";
export { moveFolder, placeFiles, removeFolder } from "./place-files.ts";
export { PluginFetchError, type PluginFile } from "./plugin-files.ts";
