// Remembers for 15 minutes which MCP servers wanted a sign-in, so that not every start asks them again. One empty file
// each: its time is what counts.

import { statSync } from "node:fs";
import { checkedName, secretsFolder } from "./secret-names.ts";
import { secretFiles } from "./secret-files.ts";

const REMEMBERED_MS = 15 * 60 * 1_000;

export interface SignInMemory {
  has(key: string): Promise<boolean>;
  add(key: string): Promise<void>;
  remove(key: string): Promise<void>;
}

export function openSignInMemory(configDir: string): SignInMemory {
  const folder = secretsFolder(configDir);
  const files = secretFiles(folder);
  const fileOf = (key: string) => `${checkedName(key)}.needed`;
  return {
    async has(key) {
      const found = statSync(`${folder}/${fileOf(key)}`, { throwIfNoEntry: false });
      // A file's time is finer than the clock's, so a new file can seem to be from a moment ahead.
      return Math.abs(Date.now() - (found?.mtimeMs ?? 0)) < REMEMBERED_MS;
    },
    async add(key) {
      try {
        files.write(fileOf(key), "");
      } catch {
        // A read-only home: the server is asked again.
      }
    },
    remove: async (key) => files.remove(fileOf(key)),
  };
}
