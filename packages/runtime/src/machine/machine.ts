// The machine stage of a session: the shell, search, background tasks and file checkpoints.

import type * as Os from "node:os";
import { reachesChildren, type Snapshot } from "@keelson/config";
import type { CommandShell, ReadLedger, SandboxState, ToolContext } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import {
  type AgentDenyRules,
  chooseShell,
  createLedger,
  createSearch,
  createShell,
  type SessionShell,
  createTasks,
  ownTemporary,
  privateDirectory,
  programCache,
  type Ledger,
  pathOutside,
  readsAs,
  type SandboxBlock,
  type Tasks,
} from "@keelson/host";
import type { PermissionMode } from "@keelson/protocol";
import type { Monitors, ReadToolOptions } from "@keelson/tools";
import { projectKey, spillResult, tasksDir, toolResultsDir } from "@keelson/store";
import type * as EnvFile from "@keelson/host/env-file";
import { isVariableOn } from "@keelson/protocol";
import type { Governing } from "./governing.ts";
import type * as GoverningModule from "./governing.ts";
import { createOwnWrites } from "./own-writes.ts";
import type { RuleBook } from "../gate/rule-book.ts";
import type { ShippedPrograms } from "../session/open-options.ts";
import type { Storage } from "../session/storage.ts";
import type { Inbox } from "../stream/inbox.ts";
import type { FileHistory, FileHistoryOptions } from "./file-history.ts";
import { openSandbox } from "./sandbox.ts";
import type { NotifyAboutTask } from "../tasks/report.ts";
import { lazyMonitors, taskWatchers } from "../tasks/tasks.lazy.ts";

export interface Machine {
  readonly tools: Omit<ToolContext, "toolUseId" | "signal" | "files" | "mayRead">;
  readonly tasks: Tasks;
  readonly monitors: Monitors;
  /** The inboxes of running subagents. Tasks that a subagent started report to it. */
  readonly agentInboxes: Map<string, Pick<Inbox, "notify">>;
  /** What the rules of running subagents deny, which the shield hides too, and their modes. */
  readonly agentRules: Map<string, AgentDenyRules & { mode(): PermissionMode }>;
  /** Draws pages of a PDF; null if this machine cannot. */
  readonly drawPages: NonNullable<ReadToolOptions["draw"]>;
  /** Undefined if file checkpoints are off. */
  readonly fileHistory: FileHistory | undefined;
  /** State of the full sandbox, for the gate. */
  readonly sandbox: SandboxState;
  /** The shell commands run in. Only bash commands can be judged by their text. */
  readonly shellKind: CommandShell;
  /** Folders with saved tool output. The model may always read them. */
  readonly readable: readonly string[];
  /** A private folder of this session, among those. Created when it is needed. */
  readonly outputDir: string;
  readonly governing: Governing;
  /**
   * Call before writing these files with approval, so the change is not attributed to a running command. Call the
   * returned function when they are written.
   */
  beginSettingsWrite(files: readonly string[]): () => void;
  /** Undoes changes to guarded paths by children of earlier commands. Resolves to true if there were any. */
  undoChanges(): Promise<boolean>;
  /** Saves output that is too long to show. */
  spill(id: string, content: string | Uint8Array, extension?: string): Promise<string>;
  /** How to start a program in the sandbox or behind the shield. */
  confine: SessionShell["confine"];
  /** Whether the shield hides every denied file from a command started in this folder. */
  hidesDenied(cwd: string, owner?: string): Promise<boolean>;
  /** What another agent has seen: nothing, or a copy of what this one has. */
  newLedger(from?: ReadLedger): ReadLedger;
  /** Loads what the first command needs, tries the shield, and reads the user's start files. */
  warm(): Promise<void>;
  /** Whether a command was started, or the user's start files. */
  ranCommands(): Promise<boolean>;
  /** Ends all commands and tasks. */
  close(): Promise<void>;
}

export async function openMachine(storage: Storage, ruleBook: RuleBook): Promise<Machine> {
  const { options, place, state, folders, inbox, outbox, newId } = storage;
  const { snapshot, entrypoint, programs, warn } = options;
  const { cwd, configDir, env, childEnv, home } = snapshot;
  const { workspace } = folders;
  const directories = () => workspace.directories;
  const former = () => workspace.former;
  const { sandbox, state: sandboxState } = await openSandbox(snapshot, {
    programs,
    directories: () => folders.writable(),
    former,
    shared: options.sharedSandbox,
    warn,
  });
  const governing = lazyGoverning(storage);
  storage.state.governing = governing;
  // `/clear` moves the session to another id.
  const resultsDir = () => toolResultsDir(place.dir, place.id);
  const outputDir = tasksDir(ownTemporary(env), projectKey(cwd), place.id);
  // Not resolved: if a link is in the place of one of them, nothing behind it is readable for that.
  const readable = [resultsDir(), outputDir];
  storage.onClear(() => void readable.push(resultsDir()));
  const agentInboxes: Machine["agentInboxes"] = new Map();
  const agentRules: Machine["agentRules"] = new Map();
  /** Of tasks that a run with a narrower mode started, such as that of a scheduled job. */
  const mostModes = new Map<string, PermissionMode>();
  const notify: NotifyAboutTask = (task, entry, options) => {
    const how = { ...options, most: mostModes.get(task.id) };
    const own = task.owner === undefined ? undefined : agentInboxes.get(task.owner);
    // A subagent that is over stopped what it started. The session knows nothing of that.
    if (own || task.owner === undefined || task.status !== "killed") (own ?? inbox).notify(entry, how);
  };
  const watchers = taskWatchers({ show: (signal) => outbox.show(signal), notify, list: () => tasks.list(), newId });
  const tasks: Tasks = createTasks({
    watchers: {
      ...watchers,
      started(task) {
        if (ruleBook.most !== undefined) mostModes.set(task.id, ruleBook.most);
        watchers.started(task);
      },
    },
  });
  const own = createOwnWrites();
  const seen = own.trackingWrites(createLedger());
  const choice = chooseShell({ env, cwd });
  const shell = createShell({
    configDir,
    get sessionId() {
      return place.id;
    },
    entrypoint,
    // A getter, because clients may change the environment of commands.
    get childEnv() {
      return state.snapshot.childEnv;
    },
    get effort() {
      return state.model.effort;
    },
    env,
    choice,
    mayInherit: reachesChildren,
    get resultsDir() {
      return resultsDir();
    },
    tasksDir: outputDir,
    tasks,
    envFiles: () => (require("@keelson/host/env-file") as typeof EnvFile).envFilesOf(configDir, place.id),
    programFolders: () => state.snapshot.plugins.active.flatMap(({ bin }) => bin ?? []),
    sandbox,
    mayChangeGuarded: (call, owner) =>
      ruleBook.mayChangeGuarded(call, owner === undefined ? undefined : agentRules.get(owner)?.mode()),
    shield: {
      rules: () => ruleBook.rules,
      mayRead: (path) => ruleBook.mayReadName(path),
      warn,
      rulesOf: (owner) => {
        const own = agentRules.get(owner);
        return own?.rules() === ruleBook.rules ? undefined : own;
      },
      wroteOurselves: (path) => own.isOurs(path),
      governing: () => governing.forShield(),
      // The folders around ours are everybody's: a mount would keep package managers from linking out of their caches.
      programs: () => [...governing.programs.guarded(), ...ownFolders(snapshot, programs)],
      helper: (name) => governing.programs.helper(name),
      onActive: () => governing.programs.shielded(),
      allowedSockets: () =>
        (state.snapshot.settings["sandbox"] as SandboxBlock | undefined)?.network?.allowUnixSockets ?? [],
      bwrapPath: (snapshot.settings["sandbox"] as SandboxBlock | undefined)?.bwrapPath,
      directories,
      former,
      home,
      configDir,
      env,
    },
  });
  const beginSettingsWrite = (files: readonly string[]) => own.begin(files.flatMap((file) => [file, realPathOf(file)]));
  const fileHistory = await fileHistoryOf(storage, {
    wasOwnCommand: (mtimeMs) => seen.wasOwnCommand(mtimeMs),
    beginWrite: beginSettingsWrite,
  });
  storage.onRewind(() => seen.forget());
  storage.onClear(() => {
    seen.forget();
    fileHistory?.restart();
  });
  return {
    tools: {
      workspace,
      search: createSearch({
        env: childEnv,
        embedded: programs?.ripgrep,
        cacheDir: programCache(snapshot),
      }),
      shell,
      seen,
      env,
    },
    tasks,
    monitors: lazyMonitors({ tasks, directory: outputDir, notify, newId }),
    agentInboxes,
    agentRules,
    async drawPages(bytes, range, signal) {
      const { drawPdfPages } = await import("@keelson/host/pdf-pages");
      const { tmpdir } = require("node:os") as typeof Os;
      const path = pathOutside(state.snapshot.childEnv["PATH"], state.root);
      const { helper } = governing.programs;
      const confine = (program: Parameters<SessionShell["confine"]>[0]) => shell.confine(program);
      const [own = tmpdir()] = createdFolder(ownTemporary(snapshot.env));
      // Behind the shield our own folder is read-only.
      const temporary = helper("pdftoppm") === null ? tmpdir() : own;
      return drawPdfPages(bytes, range, signal, { find: helper, path, confine, temporary });
    },
    fileHistory,
    sandbox: sandboxState,
    shellKind: readsAs(choice.program),
    readable,
    outputDir,
    governing,
    beginSettingsWrite,
    undoChanges: () => shell.undoChanges(),
    warm: () => shell.warm(),
    ranCommands: () => shell.hasRun(),
    spill: (id, content, extension) => spillResult(resultsDir(), id, content, extension),
    confine: (program) => shell.confine(program),
    hidesDenied: (from, owner) => shell.hidesDenied(from, owner),
    newLedger: (from) => own.trackingWrites((from as Ledger | undefined)?.copy?.() ?? createLedger()),
    async close() {
      // Monitors of sockets have no process that the shell would end.
      const monitors = tasks.list().filter(({ type, status }) => type === "monitor" && status === "running");
      await Promise.all([shell.close(), ...monitors.map(({ id }) => tasks.stop(id))]);
    },
  };
}

/** Our folders outside the configuration folder, for temporary files and for programs that we extract and run. */
function ownFolders(snapshot: Snapshot, programs: ShippedPrograms | undefined): readonly string[] {
  const extracted = programs?.ripgrep === undefined ? [] : [programCache(snapshot)];
  return [ownTemporary(snapshot.env), ...extracted].flatMap(createdFolder);
}

/** Created before a command can, because what is in it is ours. Empty if another user has it. */
function createdFolder(path: string): readonly string[] {
  try {
    return [privateDirectory(path)];
  } catch {
    return [];
  }
}

/** Loaded on first use. `require`, not `import()`: the shell needs the files synchronously while it starts a command. */
function lazyGoverning({ state }: Storage): Governing {
  let known: Governing | undefined;
  const load = () => {
    const { governingOf } = require("./governing.ts") as typeof GoverningModule;
    return governingOf(
      () => state.snapshot,
      () => state.instructions,
    );
  };
  return {
    forGate: () => (known ??= load()).forGate(),
    forShield: () => (known ??= load()).forShield(),
    get programs() {
      return (known ??= load()).programs;
    },
  };
}

/** Undefined if checkpoints are off or the session is not saved. */
async function fileHistoryOf(
  { options, place, outbox, now }: Storage,
  writes: Pick<FileHistoryOptions, "wasOwnCommand" | "beginWrite">,
): Promise<FileHistory | undefined> {
  const { snapshot, warn } = options;
  if (place.path === null || !checkpointsEnabled(snapshot, options.interactive)) return undefined;
  const { openFileHistory } = await import("./file-history.ts");
  return openFileHistory(snapshot, place.path, {
    place,
    note: (entry) => outbox.note(entry),
    warn,
    ...writes,
    now,
  });
}

/** Headless sessions need a variable that the client's SDK sets, or the setting (machine/machine.test.ts). */
export function checkpointsEnabled(
  { env, settings }: Pick<Snapshot, "env" | "settings">,
  interactive = false,
): boolean {
  if (isVariableOn(env["CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING"])) return false;
  if (isVariableOn(env["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"])) return true;
  const setting = settings["fileCheckpointingEnabled"];
  return interactive ? setting !== false : setting === true;
}
