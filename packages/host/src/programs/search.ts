// Runs ripgrep: directly, without a shell, in a process group of its own, with time and output bounded.

import { ToolError, type Search, type SearchResult } from "@keelson/engine";
import { findRipgrep, type RipgrepOptions } from "./find-ripgrep.ts";
import { holdExistingFolder } from "../files/held-folder.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

export function createSearch(options: RipgrepOptions): Search {
  let binary: string | null | undefined;
  // A configuration file could add `--pre`, which runs programs.
  const { RIPGREP_CONFIG_PATH: _, ...env } = options.env;

  return {
    async run(args, { cwd, signal, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }): Promise<SearchResult> {
      binary ??= findRipgrep(options);
      if (binary === null) {
        throw new ToolError("ripgrep was not found. Install `rg` or set KEELSON_RG to its path.");
      }
      signal.throwIfAborted();
      const child = spawnIn(cwd, (place) =>
        Bun.spawn([binary!, ...args], {
          cwd: place,
          env,
          stdin: "ignore",
          stdout: "pipe",
          stderr: "pipe",
          detached: true,
        }),
      );
      let timedOut = false;
      const end = () => child.kill("SIGKILL");
      const timer = setTimeout(() => {
        timedOut = true;
        end();
      }, timeoutMs);
      signal.addEventListener("abort", end, { once: true });
      try {
        const [output, errors] = await Promise.all([
          readUpTo(child.stdout, maxBytes, end),
          readUpTo(child.stderr, MAX_ERROR_BYTES, () => {}),
        ]);
        const code = await child.exited;
        signal.throwIfAborted();
        // Killed by us: what was found until then counts.
        const told = child.signalCode === null ? code : output.text === "" ? 1 : 0;
        return { code: told, stdout: output.text, stderr: errors.text, cut: output.cut, timedOut };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
      }
    },
  };
}

/** In this very folder: a link that has taken its place meanwhile is not followed. */
function spawnIn<Child>(cwd: string, start: (place: string) => Child): Child {
  using held = holdExistingFolder(cwd);
  return start(held.at("."));
}

/** Reads to the end but keeps only the head, so that the other side never blocks on a full pipe. */
async function readUpTo(stream: ReadableStream<Uint8Array>, limit: number, onFull: () => void) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut = false;
  for await (const chunk of stream) {
    if (cut) continue;
    const room = limit - size;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
    if (chunk.length > room) {
      cut = true;
      onFull();
    }
  }
  return { text: new TextDecoder().decode(Buffer.concat(chunks)), cut };
}
