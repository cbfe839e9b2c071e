// The session's shell: a new bash for every command, with the user's environment. `close` ends everything it started.
// Knows nothing about permissions.

import { closeSync, existsSync, mkdirSync, realpathSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError, type Shell, type ShellResult } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { createPrivateFile } from "../files/private-file.ts";
import { awaitCommand } from "../tasks/awaited-command.ts";
import { startBackground } from "../tasks/background-command.ts";
import { commandEnvironment } from "./environment/child-env.ts";
import { chooseShell, type ShellChoice } from "./environment/choose.ts";
import { startCommand } from "./process/command.ts";
import { followCommand, NOTHING_PRINTED } from "./follow-command.ts";
import { createGuardedGroups } from "./process/guarded-groups.ts";
import { collectOutput } from "./output.ts";
import { loadPipes } from "./process/pipe.ts";
import { quote, scriptFor } from "./script.ts";
import { uncarry } from "../programs/loader-variables.ts";
import { takeSnapshot } from "./environment/snapshot.ts";
import { confine, type Confined } from "../sandbox/confine.ts";
import { confineProgram, type ConfinedProgram, type ProgramToConfine } from "../sandbox/confine-program.ts";
import type { Sandbox } from "../sandbox/full/prepare.ts";
import type { ShieldOptions } from "../sandbox/shield/shield.ts";
import type { ShieldStatus } from "../sandbox/shield/status.ts";
import type { Tasks } from "../tasks/task-table.ts";
import { randomHex } from "../random.ts";

export interface ShellOptions {
  readonly configDir: string;
  readonly sessionId: string;
  /** Passed to children as CLAUDE_CODE_ENTRYPOINT. */
  readonly entrypoint: string;
  /** Read before each command. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Passed to commands as CLAUDE_EFFORT. Read before each command. */
  readonly effort?: string | undefined;
  /** The shell the gate assumes. Defaults to a choice based on `env`. */
  readonly choice?: ShellChoice;
  /** CLAUDE_CODE_SHELL, CLAUDE_CODE_SHELL_PREFIX, CLAUDE_ENV_FILE, SHELL, PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Which variables of the user's shell commands may get; our credentials are excluded. Defaults to all. */
  mayInherit?(name: string): boolean;
  /** Scripts that hooks wrote for later commands, in order. Called before each command. */
  envFiles?(): readonly string[];
  /** Folders at the end of the PATH of commands. Called before each command. */
  programFolders?(): readonly string[];
  /** For output that is too long to show. */
  readonly resultsDir: string;
  /** For the output of background commands. */
  readonly tasksDir: string;
  readonly tasks: Tasks;
  /** Hides denied files from commands and protects others, if the machine supports it. */
  readonly shield?: ShieldOptions;
  /** The full sandbox, if it is active. */
  readonly sandbox?: Sandbox;
  /** Whether the user allowed this tool call to change guarded paths. */
  mayChangeGuarded?(id: string, owner: string | undefined): boolean;
}

export interface SessionShell extends Shell {
  /** Ends all processes of the session, even those that ignore TERM or started their own session. */
  close(): Promise<void>;
  /** For programs that others start. They see and change what commands may. */
  confine(program: ProgramToConfine): Promise<ConfinedProgram>;
  /** Reverts changes to guarded paths by children of earlier commands. True if there were any. */
  undoChanges(): Promise<boolean>;
  /** Whether every denied file is hidden from a command that starts here. Runs a trial first, about 3 ms. */
  hidesDenied(cwd: string, owner?: string): Promise<boolean>;
  /** Loads what the first command needs, tries the shield, and reads the user's start files. */
  warm(): Promise<void>;
  /** Whether a command was started, or the user's start files. */
  hasRun(): Promise<boolean>;
}

/** Linux limits one argument to 128 KB; longer scripts are written to a file. */
const MAX_SCRIPT_BYTES = 100_000;

/** A command that comes at once has come by then. */
const WRITTEN_BY_MS = 10;

/** Types of tasks that end with the shell. */
const ENDED_HERE = new Set(["local_bash", "monitor"]);

const NO_OUTPUT = { text: "", code: null };

/** Where programs come and go, the next look may be outdated, too. */
const MOST_ATTEMPTS = 4;

/** `trial`: of the shield, if it was started while this was loaded. */
export function createShell(options: ShellOptions, trial?: Promise<ShieldStatus>): SessionShell {
  const token = randomHex(16);
  type Environment = Pick<ShellOptions, "childEnv" | "effort"> & { readonly env: Record<string, string> };
  let environment: Environment | undefined;
  const envNow = () => {
    const { childEnv, effort } = options;
    if (environment?.childEnv !== childEnv || environment.effort !== effort)
      environment = {
        childEnv,
        effort,
        env: commandEnvironment({ ...options, childEnv, effort, stateDir: stateDir() }),
      };
    return environment.env;
  };
  const temporary = once(() => join(realpathSync(tmpdir()), `keelson-${token}`));
  /** For our own files, which commands can see and not change. Created again for what git does after the session's end. */
  const folder = () => {
    if (!existsSync(temporary())) mkdirSync(temporary(), { mode: 0o700 });
    return temporary();
  };
  /** For a Keelson that is run as a command, which creates it. */
  const stateDir = () => `${temporary()}-state`;
  const { program, userZsh } = options.choice ?? chooseShell({ env: options.env });
  const { groups, guard, prepare: prepareGroups, reaper, endAll, dismiss } = createGuardedGroups(token);
  let confinement: ReturnType<typeof openConfinement> | undefined;
  const loadConfinement = () => (confinement ??= openConfinement());
  /** Commands that ended while their children still run. What they hold is released when the children end. */
  const lingering = new Map<number, () => void>();
  let prepared: ReturnType<typeof prepare> | undefined;
  let hasRun = false;
  /** A command waits for what it needs. */
  let isAwaited = false;
  let closed = false;

  /** Once, unless it fails. */
  const prepareOnce = () =>
    (prepared ??= prepare().catch((error: unknown) => {
      prepared = undefined; // may have passed at the next command
      throw error;
    }));

  async function prepare() {
    const guardian = guard();
    for (const path of [temporary(), stateDir()]) guardian.ownFolder(path);
    const directory = join(realPathOf(options.configDir), "shell-snapshots");
    const { mayInherit } = options;
    const [snapshot, openPipe] = await Promise.all([
      takeSnapshot({ shell: program, userZsh, mayInherit, env: envNow(), directory, groups, shield: shieldStart }),
      loadPipes(),
      prepareGroups(),
    ]);
    return { snapshot, openPipe };
  }

  async function shieldStart(argv: readonly string[]) {
    hasRun = true;
    const { shield } = await loadConfinement();
    const cwd = options.shield?.directories()[0] ?? "/";
    return shield ? shield.wrap(argv, { cwd, command: "", guarded: true }) : null;
  }

  async function openConfinement() {
    // 25 ms unbundled, not needed before the first command.
    const [{ createShield }, { createCrashCleanup }, { programsWithoutFiles }] = await Promise.all([
      import("../sandbox/shield/shield.ts"),
      import("../sandbox/watch/crash-cleanup.ts"),
      import("../sandbox/shield/opens-no-file.ts"),
    ]);
    const { shield } = options;
    return {
      shield: shield && createShield(shield, { mark: token, folder, trial }, createCrashCleanup(reaper, folder)),
      sandbox: options.sandbox,
      mayChangeGuarded: options.mayChangeGuarded,
      /** The files of the programs, if a command can run without the shield. */
      programsWithoutFiles(command: string): readonly string[] | undefined {
        const found = programsWithoutFiles(command)?.map((name) => shield?.helper?.(name));
        return found?.every((path) => typeof path === "string") ? found : undefined;
      },
    };
  }

  async function argvFor({
    command,
    cwd,
    id,
    owner,
    sandbox,
    reportsDirectory,
    keepsErrors,
  }: {
    command: string;
    cwd: string;
    id: string;
    owner: string | undefined;
    sandbox?: "default" | "off";
    reportsDirectory: boolean;
    keepsErrors?: boolean;
  }) {
    isAwaited = true;
    const { snapshot, openPipe } = await prepareOnce();
    sweep();
    if (closed) throw new ToolError("The session is closing; no more commands can be started.");
    hasRun = true;
    if (!existsSync(cwd)) throw new ToolError(`The working directory '${cwd}' no longer exists. Create it again.`);
    const [envFile, prefix] = [options.env["CLAUDE_ENV_FILE"], options.env["CLAUDE_CODE_SHELL_PREFIX"]];
    const hookFiles = options.envFiles?.();
    const confinement = await loadConfinement();
    // Scripts of the user look up programs by name, and commands may have put something there.
    const isOwnScript = !envFile && !prefix && !hookFiles?.length;
    const located = isOwnScript && program.kind === "bash" ? confinement.programsWithoutFiles(command) : undefined;
    const script = scriptFor({
      command,
      // What runs without the shield loads nothing that commands could have written.
      first: located === undefined ? uncarry(envNow()) : [],
      shell: program,
      snapshot,
      envFile,
      hookFiles,
      programFolders: options.programFolders?.(),
      located,
      prefix,
      reportsDirectory,
      keepsErrors,
    });
    const file = Buffer.byteLength(script) > MAX_SCRIPT_BYTES ? saveScript(script, options.resultsDir) : null;
    const entered = await confine(confinement, {
      isHarmless: located !== undefined,
      shell: program.path,
      script: file ? `. ${quote(file)}` : script,
      command,
      cwd,
      id,
      owner,
      outside: sandbox === "off",
    });
    return { ...entered, openPipe, forget: () => removeFile(file) };
  }

  function leave(pgid: number, entered: Entered, result: { text: string; code: number | null }): readonly string[] {
    entered.forget();
    if (groups.isAlive(pgid)) lingering.set(pgid, () => entered.release());
    else entered.release();
    return entered.leave(result);
  }

  function abandon(entered: Entered): void {
    entered.forget();
    entered.leave(NO_OUTPUT);
    entered.release();
  }

  function sweep({ all } = { all: false }): void {
    for (const [pgid, release] of lingering) {
      if (!all && groups.isAlive(pgid)) continue;
      lingering.delete(pgid);
      release();
    }
  }

  async function runOnce(
    command: string,
    { cwd, timeoutMs, signal, maxOutput, id, sandbox, ...more }: Parameters<Shell["run"]>[1],
  ): Promise<ShellResult & { readonly again: boolean }> {
    const { task, shownAs, printed, owner = task?.owner } = more;
    const entered = await argvFor({ command, cwd, id, owner, sandbox, reportsDirectory: true });
    const { argv, isWrapper, openPipe } = entered;
    let hasLeft = false;
    let again = false;
    try {
      if (signal.aborted) return { ...NOTHING_PRINTED, aborted: true, again: false };
      const child = startCommand({ argv, isWrapper, cwd, env: envNow(), openPipe, groups });
      const stop = () => groups.end(child.pid);
      const collected = collectOutput(maxOutput, () => createOutputFile(options.resultsDir, id));
      const output = printed
        ? { ...collected, push: (chunk: Uint8Array) => (printed(chunk), collected.push(chunk)) }
        : collected;
      const { tasks, tasksDir: directory } = options;
      const row =
        task && awaitCommand({ command: shownAs ?? command, toolUseId: id, task, tasks, directory, output, stop });
      const result = await followCommand({
        child,
        output,
        timeoutMs,
        signal,
        row,
        stop,
        leave(printed) {
          groups.leaderEnded(child.pid);
          hasLeft = true;
          again = entered.mustStartAgain?.(printed) === true;
          return leave(child.pid, entered, printed);
        },
      });
      // What it holds is released when it ends.
      hasLeft ||= result.movedTo !== undefined;
      return { ...result, again };
    } finally {
      if (!hasLeft) abandon(entered);
    }
  }

  return {
    async run(command, how): Promise<ShellResult> {
      for (let attempt = 1; ; attempt++) {
        const { again, ...result } = await runOnce(command, how);
        if (!again || attempt === MOST_ATTEMPTS) return result;
      }
    },

    async background(command, { cwd, description, toolUseId, owner, sandbox, lines, shownAs }) {
      const keepsErrors = lines !== undefined;
      const entered = await argvFor({
        command,
        cwd,
        id: toolUseId,
        owner,
        sandbox,
        reportsDirectory: false,
        keepsErrors,
      });
      const { argv, isWrapper, openPipe } = entered;
      const { tasksDir: directory, tasks } = options;
      const shown = shownAs ?? command;
      const start = { command: shown, argv, isWrapper, cwd, env: envNow(), description, toolUseId, owner, directory };
      const onEnd = (code: number | null, pgid: number) => leave(pgid, entered, { text: "", code });
      try {
        return startBackground({ ...start, tasks, groups, lines, openPipe, onEnd });
      } catch (error) {
        abandon(entered);
        throw error;
      }
    },

    async confine(program) {
      guard().ownFolder(temporary());
      return confineProgram(await loadConfinement(), program);
    },

    async warm() {
      const { shield } = await loadConfinement();
      // Each waits for a process. If one fails, the command tries again, and says why.
      await Promise.all([shield?.status(), closed ? undefined : prepareOnce().catch(() => undefined)]);
      await Bun.sleep(WRITTEN_BY_MS);
      const cwd = options.shield?.directories()[0];
      // The model still writes the command.
      if (!isAwaited && !closed && cwd !== undefined) await shield?.prepare(cwd).catch(() => undefined);
    },

    hasRun: async () => hasRun,

    async undoChanges() {
      return (await confinement)?.shield?.check() ?? false;
    },

    async hidesDenied(cwd, owner) {
      isAwaited = true;
      const { shield } = await loadConfinement();
      // The caller is about to check a command, which depends on what git would read.
      return (await shield?.hidesAll(cwd, owner)) ?? false;
    },

    async close() {
      closed = true;
      if (!reaper()) return options.sandbox?.close();
      const running = options.tasks.list().filter(({ status, type }) => status === "running" && ENDED_HERE.has(type));
      const stops = running.map(({ id }) => options.tasks.stop(id));
      await endAll();
      await Promise.all(stops);
      sweep({ all: true });
      await (await confinement)?.shield?.close();
      await dismiss();
      await options.sandbox?.close();
      removeFile((await prepared)?.snapshot);
      for (const path of [temporary(), stateDir()]) removeFolder(path);
    },
  };
}

function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

interface Entered extends Confined {
  /** Removes the file of a long script. */
  forget(): void;
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

function saveScript(script: string, directory: string): string {
  const { fd, path } = createPrivateFile(directory, `script-${randomHex(8)}.sh`);
  writeSync(fd, script);
  closeSync(fd);
  return path;
}

/** What a command wrote may be impossible to remove; then it stays. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The name is random, and nothing reads it again.
  }
}

function removeFile(path: string | null | undefined): void {
  if (path && existsSync(path)) unlinkSync(path);
}
