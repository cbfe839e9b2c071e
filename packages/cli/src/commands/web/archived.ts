// The sessions that were put away: their ids, in a file of the configuration folder.

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { withOwnFileLock } from "@keelson/disk/lock";
import { holdOwnFolder, readOwnFile } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import { replaceOwnFile } from "@keelson/disk/replace-file";
import { tryParse } from "@keelson/protocol";

const MAX_BYTES = 8 * 1024 * 1024;

export class ArchivedSessions {
  readonly #path: string;
  #known: ReadonlySet<string> = new Set();
  #stamp = "";

  constructor(configDir: string) {
    this.#path = join(realPathOf(configDir), "keelson-web", "archived.json");
  }

  /** Another server of this user may have changed it. */
  get all(): ReadonlySet<string> {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const stamp = stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (stamp !== this.#stamp) this.#known = this.#read();
    this.#stamp = stamp;
    return this.#known;
  }

  async set(id: string, isArchived: boolean): Promise<void> {
    holdOwnFolder(dirname(this.#path), { create: 0o700 })[Symbol.dispose]();
    await withOwnFileLock(`${this.#path}.lock`, () => {
      const others = [...this.#read()].filter((each) => each !== id);
      replaceOwnFile(this.#path, `${JSON.stringify(isArchived ? [...others, id] : others)}\n`);
    });
  }

  #read(): ReadonlySet<string> {
    const ids: unknown = tryParse(readOwnFile(this.#path, MAX_BYTES)?.toString("utf8") ?? "");
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []);
  }
}
