// What tools are given of the machine besides files: a shell, ripgrep, background tasks, and where the session works.

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import type { ToolContext } from "@keelson/engine";
import {
  createLedger,
  createShell,
  createTasks,
  createWorkspace,
  realPathOf,
  ripgrep,
  type Tasks,
  type TaskWatchers,
} from "@keelson/host";
import { projectKey, spillResult, tasksDir, toolResultsDir } from "@keelson/store";
import type { SessionPlace } from "./place.ts";

export interface SessionWorld {
  readonly tools: Omit<ToolContext, "toolUseId" | "signal" | "files" | "mayRead">;
  readonly tasks: Tasks;
  /** Folders of ours the model may always read. */
  readonly readable: readonly string[];
  addDirectories(paths: readonly string[]): void;
  removeDirectories(paths: readonly string[]): void;
  /** Keeps text that is too long to show. */
  spill(id: string, text: string): Promise<string>;
  /** Ends everything that was started here. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly snapshot: Snapshot;
  readonly place: SessionPlace;
  readonly entrypoint: string;
  /** A copy of ripgrep inside the executable. */
  readonly ripgrep?: string;
  /** Told of tasks; built with the table itself at hand. */
  watchers(tasks: () => Tasks): TaskWatchers;
}

export function openWorld({ snapshot, place, entrypoint, ...options }: WorldOptions): SessionWorld {
  const { cwd, configDir, env, childEnv, home } = snapshot;
  const added = new Set(snapshot.directories);
  const workspace = createWorkspace(cwd, () => [...added]);
  const resultsDir = toolResultsDir(place.dir, place.id);
  const temporary = env["CLAUDE_CODE_TMPDIR"] || tmpdir();
  const outputDir = tasksDir(temporary, process.getuid?.() ?? 0, projectKey(cwd), place.id);
  const tasks: Tasks = createTasks({ watchers: options.watchers(() => tasks) });
  const shell = createShell({
    configDir,
    sessionId: place.id,
    entrypoint,
    childEnv,
    env,
    resultsDir,
    tasksDir: outputDir,
    tasks,
  });
  return {
    tools: {
      workspace,
      search: ripgrep({
        env: childEnv,
        embedded: options.ripgrep,
        cacheDir: join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "keelson"),
      }),
      shell,
      seen: createLedger(),
      env,
    },
    tasks,
    readable: [realPathOf(resultsDir), realPathOf(outputDir)],
    addDirectories: (paths) => paths.forEach((path) => added.add(realPathOf(path))),
    removeDirectories: (paths) => paths.forEach((path) => added.delete(realPathOf(path))),
    spill: (id, text) => spillResult(resultsDir, id, text),
    close: () => shell.close(),
  };
}
