// Lines of source files, to quote them and to count positions in them. Each file is read once.

import type { ToolContext } from "@keelson/engine";
import type { CodePlace, CodePosition, PositionEncoding } from "@keelson/protocol";
import { isInFolders, shownPath } from "../path.ts";

/** More files than anyone reads about in one answer. */
const MOST_FILES = 50;
const MAX_BYTES = 2 * 1024 * 1024;

export class SourceLines {
  readonly #context: ToolContext;
  readonly #files = new Map<string, Promise<readonly string[]>>();

  constructor(context: ToolContext) {
    this.#context = context;
  }

  /** The text of the line; empty if the file may not be quoted. */
  async quote({ path, line }: CodePlace): Promise<string> {
    return (await this.#linesOf(path))[line] ?? "";
  }

  /** `path:line:character`, counted from 1. */
  async locate(place: CodePlace, encoding: PositionEncoding): Promise<string> {
    const position = await this.position(place, place.path, encoding);
    return `${shownPath(place.path, this.#context.workspace.cwd)}:${position}`;
  }

  /** `line:character`, counted from 1, in UTF-16. */
  async position({ line, character }: CodePosition, path: string, encoding: PositionEncoding): Promise<string> {
    const text = encoding === "utf-16" ? undefined : (await this.#linesOf(path))[line];
    return `${line + 1}:${(text === undefined ? character : fromServer(text, character, encoding)) + 1}`;
  }

  #linesOf(path: string): Promise<readonly string[]> {
    const known = this.#files.get(path);
    if (known || this.#files.size >= MOST_FILES) return known ?? Promise.resolve([]);
    const reading = this.#read(path);
    this.#files.set(path, reading);
    return reading;
  }

  async #read(path: string): Promise<readonly string[]> {
    const { files, mayRead, workspace } = this.#context;
    if (!mayRead(path)) return [];
    try {
      const stat = await files.stat(path);
      if (stat?.kind !== "file" || stat.size > MAX_BYTES) return [];
      // A link may lead to a file that is neither in the working directories nor allowed.
      if (!isInFolders(stat.realPath, workspace.directories) || !mayRead(stat.realPath)) return [];
      return new TextDecoder().decode(await files.read(path)).split(/\r?\n/);
    } catch {
      return [];
    }
  }
}

/** From a count of bytes or characters to one of UTF-16 units. */
function fromServer(line: string, count: number, encoding: PositionEncoding): number {
  let units = 0;
  let counted = 0;
  for (const character of line) {
    if (counted >= count) break;
    counted += encoding === "utf-8" ? Buffer.byteLength(character) : 1;
    units += character.length;
  }
  return units;
}
