// `--tmux`: the session runs in a tmux session of its own, which stays when the terminal is closed. It is named after the
// worktree, so the same command attaches to it again.

import { existsSync, realpathSync } from "node:fs";
import type { Arguments } from "../args/args.ts";
import { UsageError } from "../args/invocation.ts";
import { visible } from "../commands/permissions/words.ts";
import { printError, type ProcessIO } from "../process/process-io.ts";
import { thisProgram } from "../process/this-process.ts";
import { toTerminalInvocation } from "./choice.ts";

/** Returns the exit code. Throws UsageError. */
export async function startInTmux(argv: readonly string[], given: Arguments, io: ProcessIO): Promise<number> {
  const { env, terminal, cwd } = io;
  if (!given.has("worktree")) throw new UsageError("--tmux requires --worktree");
  if (given.has("print") || !terminal.stdin || !terminal.stdout)
    throw new UsageError("--tmux needs a terminal and cannot be used with --print");
  const mode = given.text("tmux");
  if (mode !== undefined && mode !== "classic") throw new UsageError(`invalid value "${mode}" for --tmux; use classic`);
  // Reports errors here: in tmux, they would be gone with the session.
  toTerminalInvocation(given, cwd);
  const { findHelper, helperMissing } = await import("@keelson/host/programs");
  const program = findHelper("tmux", env["PATH"]);
  if (program === null)
    return printError(
      io,
      helperMissing("tmux", env["PATH"], "install it with the system's packages, or leave out --tmux"),
    );

  const run = (args: readonly string[]) =>
    Bun.spawn([program, ...args.map(asWord)], { cwd, env, stdio: ["inherit", "inherit", "inherit"] }).exited;
  const name = sessionName(given.text("worktree"));
  const asked = [program, "display-message", "-p", "-t", `=${name}:`, "#{session_path}"];
  const { stdout } = Bun.spawn(asked, { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  const path = (await new Response(stdout).text()).replace(/\n$/, "");
  if (path !== "" && !(await isSameRepository(path, cwd)))
    return printError(io, `tmux session ${name} belongs to ${visible(path)}; choose another name for the worktree`);
  // No `-c` with the folder: tmux starts here anyway, and would run the command in a name such as `#(command)`.
  const start = ["-s", name, "--", ...thisProgram(), ...withoutTmux(argv)];
  if (!env["TMUX"]) {
    // iTerm2 shows the windows of tmux as its own.
    const control = env["TERM_PROGRAM"] === "iTerm.app" && mode !== "classic" ? ["-CC"] : [];
    return run([...control, "new-session", "-A", ...start]);
  }
  // A session is not opened inside another: this terminal goes over to it.
  const code = path === "" ? await run(["new-session", "-d", ...start]) : 0;
  return code === 0 ? run(["switch-client", "-t", `=${name}`]) : code;
}

/** tmux does not accept every letter. */
const sessionName = (worktree = crypto.randomUUID().slice(0, 8)) => `keelson-${worktree.replaceAll(/[^\w-]/g, "_")}`;

/** Worktrees of two repositories may have the same name. */
async function isSameRepository(one: string, other: string): Promise<boolean> {
  const { repositoryRoot } = await import("@keelson/config/instructions");
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  return real(repositoryRoot(real(one))) === real(repositoryRoot(real(other)));
}

function withoutTmux(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return argv.filter((word, at) => (end >= 0 && at > end) || !/^--tmux(?:=|$)/.test(word));
}

/** A semicolon at the end of a word would begin another command of tmux. */
const asWord = (word: string) => word.replace(/;$/, "\\;");
