// The rules and gate stages of a session. The rules are opened before the machine, which needs to know which files a
// command may see; the gate after it.

import { existsSync } from "node:fs";
import { mayApply, userIgnoreFile, writeRules } from "@keelson/config";
import type { Rule } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import type { PermissionUpdate } from "@keelson/protocol";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import type { PlanMode } from "../session/plan-mode.ts";
import { Gate } from "./gate.ts";
import { modeRefusal } from "./mode-refusal.ts";
import type * as Resumed from "./resumed-mode.ts";
import { RuleBook } from "./rule-book.ts";

export function openRuleBook(storage: Storage): RuleBook {
  const { options, place, state, folders, outbox } = storage;
  const { rules, home, cwd, configDir, mode: startedIn } = state.snapshot;
  const ruleBook = new RuleBook({
    mode: place.loaded
      ? (require("./resumed-mode.ts") as typeof Resumed).resumedMode(place.loaded.mode, options)
      : state.snapshot.mode,
    rules,
    builtIn: sealRules(configDir),
    home,
    workspace: folders.workspace,
    mayApply: (rule) => mayApply(rule, state.snapshot.settings),
    refusal: (wanted) => modeRefusal(wanted, { ...state.snapshot, mode: startedIn }, process.getuid?.()),
    modeChanged: (permissionMode) => {
      // A session without prompts leaves no file; the first prompt has the mode.
      if (options.interactive && place.path !== null && existsSync(place.path))
        outbox.note({
          type: "permission-mode",
          permissionMode,
          timestamp: new Date(storage.now()).toISOString(),
          sessionId: place.id,
        });
      void outbox.show({ type: "system", subtype: "status", status: null, permissionMode });
    },
    warn: options.warn,
  });
  for (const to of place.loaded?.folders ?? []) if (isCheckout(to, cwd)) ruleBook.addCopy({ from: [cwd], to });
  return ruleBook;
}

/** Whether a folder where the session worked before is like this one: a worktree, or where it was resumed last time. */
const isCheckout = (folder: string, cwd: string) =>
  /\/\.claude\/worktrees\/[^/]+$/.test(folder) || !`${folder}/`.startsWith(`${cwd}/`);

/** No tool or command reads the secret of the seal. */
export function sealRules(configDir: string): readonly Rule[] {
  const folders = new Set([configDir, realPathOf(configDir)]);
  return [...folders].map((folder) => {
    const content = `/${folder}/keelson-seal/**`;
    return {
      behavior: "deny",
      tool: "Read",
      content,
      source: "policySettings",
      base: folder,
      text: `Read(${content})`,
      builtIn: true,
    };
  });
}

export function openGate(storage: Storage, machine: Machine, ruleBook: RuleBook, plan: PlanMode): Gate {
  const { state, folders } = storage;
  const { workspace } = folders;
  const { home } = state.snapshot;
  return new Gate({
    ruleBook,
    home,
    readable: machine.readable,
    memory: () => state.agent?.memory ?? state.instructions?.realMemory,
    plan: () => plan.path(),
    configDir: realPathOf(state.snapshot.configDir),
    governing: () => machine.governing.forGate(),
    sandbox: machine.sandbox,
    shell: machine.shellKind,
    git: {
      root: workspace.root,
      home,
      isTrusted: () => state.snapshot.trusted,
      directories: () => workspace.directories,
      env: () => state.snapshot.childEnv,
    },
    isShielded: (cwd, owner) => {
      // The shield hides the folder of the secret, so it must exist before a command does.
      storage.sealTranscript();
      return machine.hidesDenied(cwd, owner);
    },
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    addDirectories: (paths) => folders.add(paths, "permission_update"),
    removeDirectories: (paths) => folders.remove(paths),
    managedOnly: () => state.snapshot.settings["allowManagedPermissionRulesOnly"] === true,
    save: (updates) => saveRules(updates, storage, machine),
  });
}

/** Writes permanently accepted rules to their settings file. The session already applies them. */
async function saveRules(
  updates: readonly PermissionUpdate[],
  { state, options }: Storage,
  machine: Machine,
): Promise<readonly string[]> {
  const { snapshot } = state;
  const write = async () => {
    // `writeRules` may also write the user's settings, which are among the sources, and the user's ignore file.
    const files = [...snapshot.sources.map(({ path }) => path), await userIgnoreFile(snapshot)];
    const finished = machine.beginSettingsWrite(files);
    return (await writeRules(updates, snapshot).finally(finished)).problems;
  };
  // The rules hold for this session in any case; a failure must neither end it nor keep later ones from being saved.
  const problems = await write().catch((error: Error) => [`Permission rules were not saved: ${error.message}`]);
  for (const problem of problems) options.warn(problem);
  return problems;
}
