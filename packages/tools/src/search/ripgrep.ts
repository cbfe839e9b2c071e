// Runs ripgrep for Glob and Grep: common arguments, timeout and errors.

import { ToolError, type ToolContext } from "@keelson/engine";
import type { Unread } from "../grep/page.ts";

/** Output beyond this is dropped, and the result is marked as partial. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Linux rejects arguments over 128 KB. */
const MAX_ARG_LENGTH = 30_000;

export interface SearchOutput {
  readonly stdout: string;
  /** The search was cut short or its output was cut. */
  readonly isPartial: boolean;
  readonly timedOut: boolean;
  /** Files and folders that could not be read, each as ripgrep printed it, and why. */
  readonly unread: readonly Unread[];
}

export async function runRipgrep(args: readonly string[], cwd: string, context: ToolContext): Promise<SearchOutput> {
  if (args.some((arg) => arg.includes("\0"))) throw new ToolError("The pattern contains a NUL character");
  if (args.some((arg) => arg.length > MAX_ARG_LENGTH)) throw new ToolError("The pattern is too long; shorten it");
  const seconds = timeoutSeconds(context.env);
  // Config files could make ripgrep run programs (`--pre`).
  const { code, stdout, stderr, cut, timedOut } = await context.search.run(["--no-config", ...args], {
    cwd,
    signal: context.signal,
    timeoutMs: seconds * 1000,
    maxBytes: MAX_BYTES,
  });
  context.signal.throwIfAborted();
  if (timedOut && stdout === "") {
    throw new ToolError(
      `The search took longer than ${seconds} seconds and found nothing. Narrow the pattern or the path.`,
    );
  }
  const unread = code === 2 ? unreadIn(stderr) : [];
  if (code === 2 && unread === null) throw new ToolError(explainError(stderr));
  return { stdout, isPartial: cut || timedOut, timedOut, unread: unread ?? [] };
}

/** Null if ripgrep complains about something else than files. What is gone since it was listed is not missed. */
function unreadIn(stderr: string): readonly Unread[] | null {
  const lines = stderr.split("\n").filter((line) => line.startsWith("rg: "));
  const found = lines.map((line) => UNREAD.exec(line)?.groups);
  if (found.length === 0 || !found.every((groups) => groups !== undefined)) return null;
  return found
    .map(({ path, why }) => ({ path: path!, why: why! }))
    .filter(({ why }) => !why.startsWith("No such file"));
}

const UNREAD = /^rg: (?<path>.+?): (?:IO error for operation on .*: )?(?<why>[^:]+) \(os error \d+\)$/;

function timeoutSeconds(env: ToolContext["env"]): number {
  const given = Number(env.CLAUDE_CODE_GLOB_TIMEOUT_SECONDS);
  if (given > 0) return given;
  // Windows drives are slow under WSL.
  return env.WSL_DISTRO_NAME ? 60 : 20;
}

/** ripgrep's message, with advice about its flags replaced by advice about our parameters. */
function explainError(stderr: string): string {
  const text = stderr.trim().replace(/^rg: /, "");
  if (text.includes("--multiline")) return `${text.split("\n\n")[0]}\n\nSet multiline to true to match across lines.`;
  if (text.includes("--pcre2")) {
    return `${text.split("\n\n")[0]}\n\nLook-around and backreferences are not supported; search for something simpler and read the matches.`;
  }
  return text;
}
