// What a session that is served to someone warns of: whoever is at the other end sees nothing of standard error.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { trustFix, type Snapshot } from "@keelson/config";

const MOST = 50;

export class SessionNotices {
  readonly #print: (text: string) => void;
  readonly #texts: string[] = [];
  readonly #listeners = new Set<(text: string) => void>();

  /** They are printed, too. */
  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  add(text: string): void {
    this.#print(text);
    this.#texts.push(text);
    if (this.#texts.length > MOST) this.#texts.shift();
    for (const listener of this.#listeners) listener(text);
  }

  /** So far, the newest last. */
  get all(): readonly string[] {
    return this.#texts;
  }

  /** For each that comes, until the returned function is called. */
  listen(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** What a folder may set. */
const OF_FOLDERS = [".claude", ".mcp.json", "CLAUDE.md", "CLAUDE.local.md"];

/** What the folder has that is off. */
export async function trustNotices({ cwd, trusted, held = [] }: Snapshot): Promise<readonly string[]> {
  if (trusted) {
    if (held.length === 0) return [];
    const { heldText } = await import("@keelson/config/belief"); // not part of the start
    return held.map((each) => `${each.file}: ${heldText(each)}`);
  }
  if (!OF_FOLDERS.some((name) => existsSync(join(cwd, name)))) return [];
  const off =
    "its hooks, MCP servers, skills, instructions and settings are off, except for rules that deny, ask or that you accepted here";
  return [`This folder is not trusted, so ${off}. To trust it, ${trustFix(cwd)}`];
}
