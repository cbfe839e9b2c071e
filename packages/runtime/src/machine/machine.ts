// What tools are given of the machine besides files: a shell, ripgrep, background tasks, and where the session works.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { reachesChildren, type Snapshot } from "@keelson/config";
import type { ToolContext } from "@keelson/engine";
import {
  chooseShell,
  createLedger,
  createShell,
  createTasks,
  createWorkspace,
  envFilesOf,
  openEnvFolder,
  realPathOf,
  createSearch,
  type Sandbox,
  type SandboxBlock,
  type ShieldOptions,
  type Tasks,
  type TaskWatchers,
} from "@keelson/host";
import { projectKey, spillResult, tasksDir, toolResultsDir } from "@keelson/store";
import { createOwnWrites } from "../gate/own-writes.ts";
import type { SessionPlace } from "../session/place.ts";

export interface SessionWorld {
  readonly tools: Omit<ToolContext, "toolUseId" | "signal" | "files" | "mayRead">;
  readonly tasks: Tasks;
  /** What commands run in: only what bash runs can be told from its text. */
  readonly shellKind: "bash" | "other";
  /** Folders of ours the model may always read. */
  readonly readable: readonly string[];
  addDirectories(paths: readonly string[]): void;
  removeDirectories(paths: readonly string[]): void;
  /**
   * We are about to write some of these files with somebody's approval: a command that runs meanwhile is not blamed for
   * it. To be called back when they are written.
   */
  writingSettings(files: readonly string[]): () => void;
  /** Undoes what children of earlier commands did to guarded paths. True when there was something. */
  undoChanges(): Promise<boolean>;
  /** Keeps text that is too long to show. */
  spill(id: string, text: string): Promise<string>;
  /** Whether a command that starts here would find every denied file hidden. */
  hidesDenied(cwd: string): Promise<boolean>;
  /** Ends everything that was started here. */
  close(): Promise<void>;
}

export interface MachineOptions {
  readonly snapshot: Snapshot;
  readonly place: SessionPlace;
  readonly entrypoint: string;
  /** A copy of ripgrep inside the executable. */
  readonly ripgrep?: string;
  readonly sandbox?: Sandbox;
  /** The gate's rules and answers, for what stands between a command and the files. */
  readonly gate: Pick<ShieldOptions, "rules" | "mayRead" | "warn"> & {
    mayChangeGuarded(call: string): boolean;
    governing(): readonly string[];
  };
  /** The environment of commands as it is now; clients may change it. */
  childEnv(): Readonly<Record<string, string>>;
  /** Told when the session's shell stands in another folder. */
  moved(from: string, to: string): void;
  /** Told of tasks; built with the table itself at hand. */
  watchers(tasks: () => Tasks): TaskWatchers;
}

export function openWorld({ snapshot, place, entrypoint, ...options }: MachineOptions): SessionWorld {
  const { cwd, configDir, env, childEnv, home } = snapshot;
  const added = new Set(snapshot.directories);
  const workspace = createWorkspace(cwd, () => [...added], options.moved);
  const resultsDir = toolResultsDir(place.dir, place.id);
  const temporary = env["CLAUDE_CODE_TMPDIR"] || tmpdir();
  const outputDir = tasksDir(temporary, process.getuid?.() ?? 0, projectKey(cwd), place.id);
  const tasks: Tasks = createTasks({ watchers: options.watchers(() => tasks) });
  const own = createOwnWrites();
  const seen = own.following(createLedger());
  const choice = chooseShell({ env, cwd });
  const hookVariables = openEnvFolder(configDir, place.id);
  const shell = createShell({
    configDir,
    sessionId: place.id,
    entrypoint,
    get childEnv() {
      return options.childEnv();
    },
    env,
    choice,
    mayInherit: reachesChildren,
    resultsDir,
    tasksDir: outputDir,
    tasks,
    envFiles: () => envFilesOf(configDir, place.id),
    sandbox: options.sandbox,
    mayChangeGuarded: (call) => options.gate.mayChangeGuarded(call),
    shield: {
      rules: () => options.gate.rules(),
      mayRead: (path) => options.gate.mayRead(path),
      warn: (text) => options.gate.warn(text),
      wroteOurselves: (path) => own.isOurs(path),
      governing: () => [...options.gate.governing(), ...hookVariables.path()],
      bwrapPath: (snapshot.settings["sandbox"] as SandboxBlock | undefined)?.bwrapPath,
      directories: () => workspace.directories,
      home,
      configDir,
      env,
    },
  });
  return {
    tools: {
      workspace,
      search: createSearch({
        env: childEnv,
        embedded: options.ripgrep,
        cacheDir: join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "keelson"),
      }),
      shell,
      seen,
      env,
    },
    tasks,
    shellKind: choice.program.kind === "bash" ? "bash" : "other",
    readable: [realPathOf(resultsDir), realPathOf(outputDir)],
    addDirectories: (paths) => paths.forEach((path) => added.add(realPathOf(path))),
    removeDirectories: (paths) => paths.forEach((path) => added.delete(realPathOf(path))),
    writingSettings: (files) => own.writing(files.flatMap((file) => [file, realPathOf(file)])),
    undoChanges: () => shell.undoChanges(),
    spill: (id, text) => spillResult(resultsDir, id, text),
    hidesDenied: (from) => shell.hidesDenied(from),
    async close() {
      await shell.close();
      hookVariables.close();
    },
  };
}
