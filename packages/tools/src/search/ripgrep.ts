// One ripgrep run for Glob or Grep: what they share of arguments, time and errors.

import { ToolError, type ToolContext } from "@keelson/engine";

/** Paths and lines beyond this are not worth reading; the answer says it is incomplete. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The system refuses arguments over 128 KB. */
const MAX_ARG_LENGTH = 30_000;

export interface SearchOutput {
  readonly stdout: string;
  /** Not everything was searched, or not everything found is here. */
  readonly isPartial: boolean;
  readonly timedOut: boolean;
}

export async function runRipgrep(args: readonly string[], cwd: string, context: ToolContext): Promise<SearchOutput> {
  if (args.some((arg) => arg.includes("\0"))) throw new ToolError("The pattern contains a NUL character");
  if (args.some((arg) => arg.length > MAX_ARG_LENGTH)) throw new ToolError("The pattern is too long; shorten it");
  const seconds = timeoutSeconds(context.env);
  // Unreadable folders are passed over in silence, and no configuration file may add programs to run (`--pre`).
  const { code, stdout, stderr, cut, timedOut } = await context.search.run(["--no-config", "--no-messages", ...args], {
    cwd,
    signal: context.signal,
    timeoutMs: seconds * 1000,
    maxBytes: MAX_BYTES,
  });
  context.signal.throwIfAborted();
  if (timedOut && stdout === "") {
    throw new ToolError(
      `The search took longer than ${seconds} seconds and found nothing so far. Narrow the pattern or the path.`,
    );
  }
  if (code === 2 && stdout === "" && stderr.trim() !== "") throw new ToolError(explainError(stderr));
  return { stdout, isPartial: cut || timedOut, timedOut };
}

function timeoutSeconds(env: ToolContext["env"]): number {
  const given = Number(env.CLAUDE_CODE_GLOB_TIMEOUT_SECONDS);
  if (given > 0) return given;
  // Windows drives seen from WSL are slow.
  return env.WSL_DISTRO_NAME ? 60 : 20;
}

/** ripgrep's own words, with its flags translated into our parameters. */
function explainError(stderr: string): string {
  const text = stderr.trim().replace(/^rg: /, "");
  if (text.includes("--multiline")) return `${text.split("\n\n")[0]}\n\nSet multiline to true to match across lines.`;
  if (text.includes("--pcre2")) {
    return `${text.split("\n\n")[0]}\n\nPatterns have no look-around and no backreferences; search for something simpler and read the matches.`;
  }
  return text;
}
