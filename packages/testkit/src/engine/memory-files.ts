// Files that only exist in a map, for testing tools and the engine. A folder exists as soon as something is in it.

import { ToolError, type Files } from "@keelson/engine";

export interface MemoryFiles extends Files {
  /** All files, as text. */
  readonly texts: Readonly<Record<string, string>>;
}

export function memoryFiles(initial: Readonly<Record<string, string>>, now: () => number): MemoryFiles {
  const encoder = new TextEncoder();
  const held = new Map<string, { readonly bytes: Uint8Array; readonly mtimeMs: number }>();
  const put = (path: string, bytes: Uint8Array) => void held.set(path, { bytes, mtimeMs: now() });
  const below = (directory: string) => {
    const prefix = directory.endsWith("/") ? directory : `${directory}/`;
    return [...held.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  };
  for (const [path, text] of Object.entries(initial)) put(path, encoder.encode(text));

  return {
    get texts() {
      const decoder = new TextDecoder();
      return Object.fromEntries([...held].map(([path, { bytes }]) => [path, decoder.decode(bytes)]));
    },
    async stat(path) {
      const file = held.get(path);
      if (file) return { kind: "file", size: file.bytes.length, mtimeMs: file.mtimeMs, realPath: path };
      return below(path).length > 0 ? { kind: "directory", size: 0, mtimeMs: 0, realPath: path } : null;
    },
    async read(path, { maxBytes } = {}) {
      const file = held.get(path);
      if (!file) throw new ToolError(`No regular file at "${path}"`);
      return file.bytes.slice(0, maxBytes);
    },
    async write(path, bytes) {
      put(path, bytes.slice());
    },
    async names(directory) {
      return [...new Set(below(directory).map((path) => path.split("/")[0]!))].sort();
    },
  };
}
