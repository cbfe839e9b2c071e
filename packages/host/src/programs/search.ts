// Runs ripgrep without a shell, in its own process group, with limits on time and output.

import { statSync } from "node:fs";
import { fileStamp } from "@keelson/protocol";
import { ToolError, type Search, type SearchResult } from "@keelson/engine";
import { findRipgrep, ripgrepMissing, type RipgrepOptions } from "./find-ripgrep.ts";
import { holdExistingFolder } from "../files/held-folder.ts";

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 20 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? fileStamp(stat) : "";
}

export function createSearch(options: RipgrepOptions): Search {
  let known: { readonly path: string; readonly stamp: string } | undefined;
  // A config file could set `--pre`, which runs programs.
  const { RIPGREP_CONFIG_PATH: _, ...env } = options.env;

  /** A copy of ours that was changed is replaced. */
  function current(): string {
    if (known && stampOf(known.path) === known.stamp) return known.path;
    if (known && !options.embedded) throw new ToolError(`"${known.path}" changed; restart the session to use it`);
    const path = findRipgrep(options);
    if (path === null) throw new ToolError(ripgrepMissing(options));
    known = { path, stamp: stampOf(path) };
    return path;
  }

  return {
    async run(args, { cwd, signal, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES }): Promise<SearchResult> {
      const binary = current();
      signal.throwIfAborted();
      const child = spawnIn(cwd, (folder) =>
        Bun.spawn([binary, ...args], {
          cwd: folder,
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
        // If we killed it, report what it found so far.
        const exitCode = child.signalCode === null ? code : output.text === "" ? 1 : 0;
        return { code: exitCode, stdout: output.text, stderr: errors.text, cut: output.cut, timedOut };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
      }
    },
  };
}

/** Starts in exactly this folder, even if a link has replaced it. */
function spawnIn<Child>(cwd: string, start: (folder: string) => Child): Child {
  using held = holdExistingFolder(cwd);
  return start(held.at("."));
}

/** Reads to the end but keeps only the start, so the child never blocks on a full pipe. */
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
