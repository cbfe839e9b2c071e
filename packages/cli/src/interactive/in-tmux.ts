// `--tmux`: the session runs in a tmux session of its own, which stays when the terminal is closed. It is named after the
// worktree, so the same command attaches to it again.

import type { Arguments } from "../args/args.ts";
import { UsageError } from "../args/invocation.ts";
import { printError, type ProcessIO } from "../process/process-io.ts";
import { thisProgram } from "../process/this-process.ts";

/** Returns the exit code. Throws UsageError. */
export async function startInTmux(argv: readonly string[], given: Arguments, io: ProcessIO): Promise<number> {
  const { env, terminal, cwd } = io;
  if (!given.has("worktree")) throw new UsageError("--tmux requires --worktree");
  if (given.has("print") || !terminal.stdin || !terminal.stdout)
    throw new UsageError("--tmux needs a terminal and cannot be used with --print");
  const mode = given.text("tmux");
  if (mode !== undefined && mode !== "classic") throw new UsageError(`invalid value "${mode}" for --tmux; use classic`);
  const program = Bun.which("tmux", { PATH: env["PATH"] ?? "" });
  if (program === null) return printError(io, "tmux is not installed; install it, or leave out --tmux");

  const run = (args: readonly string[], shown: "inherit" | "ignore" = "inherit") =>
    Bun.spawn([program, ...args], { cwd, env, stdio: [shown, shown, shown] }).exited;
  const name = sessionName(given.text("worktree"));
  const start = ["-s", name, "-c", cwd, "--", ...thisProgram(), ...withoutTmux(argv)];
  if (!env["TMUX"]) {
    // iTerm2 shows the windows of tmux as its own.
    const control = env["TERM_PROGRAM"] === "iTerm.app" && mode !== "classic" ? ["-CC"] : [];
    return run([...control, "new-session", "-A", ...start]);
  }
  // A session is not opened inside another: this terminal goes over to it.
  const isThere = (await run(["has-session", "-t", `=${name}`], "ignore")) === 0;
  const code = isThere ? 0 : await run(["new-session", "-d", ...start]);
  return code === 0 ? run(["switch-client", "-t", `=${name}`]) : code;
}

/** tmux does not accept every letter. */
const sessionName = (worktree = crypto.randomUUID().slice(0, 8)) => `keelson-${worktree.replaceAll(/[^\w-]/g, "_")}`;

function withoutTmux(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.filter((word, at) => (end >= 0 && at > end) || !/^--tmux(?:=|$)/.test(word));
}
