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

type Outcome = SearchResult | { readonly problem: string };

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

  /** Looks for ripgrep again, which replaces a copy of ours that is damaged. Whether it is another file now. */
  function isRenewed(): boolean {
    const before = known;
    known = undefined;
    if (!options.embedded) return false;
    current();
    return known!.path !== before?.path || known!.stamp !== before.stamp;
  }

  async function attempt(args: readonly string[], how: Parameters<Search["run"]>[1]): Promise<Outcome> {
    const { cwd, signal, timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES } = how;
    const binary = current();
    signal.throwIfAborted();
    const start = (folder: string) =>
      Bun.spawn([binary, ...args], {
        cwd: folder,
        env,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        detached: true,
      });
    let child: ReturnType<typeof start>;
    try {
      child = spawnIn(cwd, start);
    } catch (error) {
      if (error instanceof ToolError) throw error;
      return { problem: `cannot be started: ${(error as Error).message}` };
    }
    let timedOut = false;
    let isOurEnd = false;
    const end = () => {
      isOurEnd = true;
      child.kill("SIGKILL");
    };
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
      const found = { stdout: output.text, stderr: errors.text, cut: output.cut, timedOut };
      // If we killed it, report what it found so far.
      if (isOurEnd && child.signalCode !== null) return { code: output.text === "" ? 1 : 0, ...found };
      const problem = problemOf(code, child.signalCode === null ? null : String(child.signalCode), found);
      return problem === undefined ? { code, ...found } : { problem };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }

  return {
    async run(args, how) {
      let outcome = await attempt(args, how);
      if ("problem" in outcome && isRenewed()) outcome = await attempt(args, how);
      if (!("problem" in outcome)) return outcome;
      throw new ToolError(
        `The search failed, so it is not known what matches: ${current()} ${outcome.problem}. Search with a shell command instead; "keelson doctor" examines ripgrep`,
      );
    },
  };
}

/** How ripgrep failed. Where it merely found nothing, or could not read some files, it says so. */
function problemOf(
  code: number,
  signal: string | null,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): string | undefined {
  const why = stderr.trim() === "" ? "" : `: ${stderr.trim().split("\n", 1)[0]!.slice(0, 300)}`;
  if (signal === "SIGKILL") return `was killed (SIGKILL), perhaps because memory ran out${why}`;
  if (signal !== null) return `was ended by ${signal}${why}`;
  if (code === 0) return stdout === "" ? "reported a match and printed none" : undefined;
  if (code === 1 || (code === 2 && why !== "")) return undefined;
  return `exited with code ${code}${why}`;
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
