// The session's shell: a fresh bash or zsh for every command, started as the user would find it, ended with everything
// it began. Knows nothing of permissions or of what the output is for.

import { accessSync, closeSync, constants, existsSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ToolError, type Shell, type ShellResult } from "@keelson/engine";
import { createPrivateFile } from "./private-file.ts";
import { startBackground } from "./shell/background.ts";
import { childEnvironment } from "./shell/child-env.ts";
import { startCommand } from "./shell/command.ts";
import { drain } from "./shell/drain.ts";
import { createGroups } from "./shell/groups.ts";
import { collectOutput } from "./shell/output.ts";
import { limited } from "./shell/limited.ts";
import { loadPipes } from "./shell/pipe.ts";
import { startReaper, type Reaper } from "./shell/reaper.ts";
import { chooseShell, quote, scriptFor } from "./shell/script.ts";
import { takeSnapshot } from "./shell/snapshot.ts";
import type { Tasks } from "./task-table.ts";
import { randomHex } from "./random.ts";

export interface ShellOptions {
  readonly configDir: string;
  readonly sessionId: string;
  /** Said to children as CLAUDE_CODE_ENTRYPOINT. */
  readonly entrypoint: string;
  readonly childEnv: Readonly<Record<string, string>>;
  /** CLAUDE_CODE_SHELL, CLAUDE_CODE_SHELL_PREFIX, CLAUDE_ENV_FILE, SHELL, PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keeps output that is too long to show. */
  readonly resultsDir: string;
  /** Keeps the output of background commands. */
  readonly tasksDir: string;
  readonly tasks: Tasks;
}

export interface SessionShell extends Shell {
  /** Ends every process the session started, also those that ignore TERM or began a session of their own. */
  close(): Promise<void>;
}

/** The system takes at most 128 KB as one argument; longer scripts go through a file. */
const LONGEST_SCRIPT = 100_000;

const NOT_STARTED: ShellResult = {
  text: "",
  tail: "",
  size: 0,
  path: null,
  code: null,
  timedOut: false,
  aborted: true,
  cwd: null,
};

export function createShell(options: ShellOptions): SessionShell {
  const token = randomHex(16);
  const env = childEnvironment({ ...options, token });
  const program = chooseShell(options.env, isExecutable, (name) => Bun.which(name, { PATH: options.env["PATH"] }));
  let reaper: Reaper | undefined;
  const groups = createGroups(token, {
    added: (pgid) => reaper?.added(pgid),
    removed: (pgid) => reaper?.removed(pgid),
  });
  let prepared: ReturnType<typeof prepare> | undefined;
  let closed = false;

  async function prepare() {
    // Before the first process: whatever starts from here on is found by its mark, should we die at once.
    reaper = startReaper(token);
    const directory = join(options.configDir, "shell-snapshots");
    const [snapshot, openPipe] = await Promise.all([
      takeSnapshot({ shell: program, env, directory, groups }),
      loadPipes(),
    ]);
    return { snapshot, openPipe };
  }

  async function argvFor({
    command,
    cwd,
    reportsDirectory,
  }: {
    command: string;
    cwd: string;
    reportsDirectory: boolean;
  }) {
    const { snapshot, openPipe } = await (prepared ??= prepare());
    if (closed) throw new ToolError("The session is closing; no command is started any more.");
    if (!existsSync(cwd)) throw new ToolError(`The working directory '${cwd}' no longer exists. Create it again.`);
    const script = scriptFor({
      command,
      shell: program,
      snapshot,
      envFile: options.env["CLAUDE_ENV_FILE"],
      prefix: options.env["CLAUDE_CODE_SHELL_PREFIX"],
      reportsDirectory,
    });
    const file = Buffer.byteLength(script) > LONGEST_SCRIPT ? keepScript(script, options.resultsDir) : null;
    return {
      argv: [program.path, "-c", file ? `. ${quote(file)}` : script],
      openPipe,
      forget: () => forgetFile(file),
    };
  }

  return {
    async run(command, { cwd, timeoutMs, signal, maxOutput, id }): Promise<ShellResult> {
      const { argv, openPipe, forget } = await argvFor({ command, cwd, reportsDirectory: true });
      try {
        if (signal.aborted) return NOT_STARTED;
        const child = startCommand({ argv, cwd, env, openPipe });
        groups.add(child.pid);
        const output = collectOutput(maxOutput, () => createOutputFile(options.resultsDir, id));
        const end = () => void groups.end(child.pid);
        const { value: code, timedOut, aborted } = await limited(drain(child, output), { timeoutMs, signal, end });
        groups.leaderEnded(child.pid);
        return { ...output.end(), code, timedOut, aborted, cwd: child.directory() };
      } finally {
        forget();
      }
    },

    async background(command, { cwd, description, toolUseId }) {
      const { argv, forget } = await argvFor({ command, cwd, reportsDirectory: false });
      const { tasksDir: directory, tasks } = options;
      const start = { command, argv, cwd, env, description, toolUseId, directory, tasks, groups };
      return startBackground({ ...start, onEnd: forget });
    },

    async close() {
      closed = true;
      if (!reaper) return;
      const running = options.tasks.list().filter(({ status, type }) => status === "running" && type === "local_bash");
      const stops = running.map(({ id }) => options.tasks.stop(id));
      await groups.endAll();
      await Promise.all(stops);
      await reaper.dismiss();
      forgetFile((await prepared)?.snapshot);
    },
  };
}

function createOutputFile(directory: string, id: string) {
  const name = id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  try {
    return createPrivateFile(directory, `${name}.txt`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return createPrivateFile(directory, `${name}-${randomHex(4)}.txt`);
  }
}

function keepScript(script: string, directory: string): string {
  const { fd, path } = createPrivateFile(directory, `script-${randomHex(8)}.sh`);
  writeSync(fd, script);
  closeSync(fd);
  return path;
}

function forgetFile(path: string | null | undefined): void {
  if (path && existsSync(path)) unlinkSync(path);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
