// The files a snapshot was made from, and whether they changed since. Costs one stat per file.

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileStamp } from "@keelson/protocol";
import type { Snapshot } from "./snapshot.ts";

/** A file that was read or missing, with its stamp at that time. */
export interface Source {
  readonly path: string;
  readonly stamp: string;
}

/** Whether any file was created, deleted or written since. */
export function changed(snapshot: Pick<Snapshot, "sources">): boolean {
  return snapshot.sources.some(({ path, stamp }) => stampOf(path) !== stamp);
}

/** Take the stamp before reading the file, so a write in between is noticed. */
export function stampOf(path: string): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "absent" : fileStamp(stat);
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code}`;
  }
}

/** The files that may define MCP servers, besides the global config file. */
export interface McpFiles {
  /** If it exists, no other server may be used. */
  readonly managed: string;
  /** The nearest first. */
  readonly project: readonly string[];
}

/** Searches from the folder up to the home folder, or to the file system root if the folder is not inside home. */
export function mcpFiles(places: {
  readonly folder: string;
  readonly home: string;
  readonly managedDir: string;
}): McpFiles {
  const { folder, home, managedDir } = places;
  const folders = [folder];
  for (let at = folder; at !== home && dirname(at) !== at;) folders.push((at = dirname(at)));
  return { managed: join(managedDir, "managed-mcp.json"), project: folders.map((each) => join(each, ".mcp.json")) };
}
