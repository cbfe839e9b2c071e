// Takes trust in a folder back.

import { realpathSync } from "node:fs";
import { TRUSTED, trustedFolders } from "../trust.ts";
import { writeProjectFlag, type FlagWritten, type FolderPlace } from "./project-flag.ts";

/** Also under other names of the same folder, such as links: trust is looked up by those too. */
export async function revokeTrust(place: FolderPlace): Promise<FlagWritten> {
  const others = trustedFolders(place).filter((name) => name !== place.cwd && realPath(name) === place.cwd);
  let written = await writeProjectFlag(place, TRUSTED, false);
  for (const cwd of others) {
    if (!written.ok) return written;
    const { changed } = written;
    const next = await writeProjectFlag({ ...place, cwd }, TRUSTED, false);
    written = next.ok ? { ...next, changed: changed || next.changed } : next;
  }
  return written;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
