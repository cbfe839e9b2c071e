// The gate of a session, joined to what it judges with and to whoever hears of its decisions.

import { writeRules } from "@keelson/config";
import type { SandboxState } from "@keelson/engine";
import type { PermissionUpdate } from "@keelson/protocol";
import type { Assembly } from "../session/assembly.ts";
import type { Classifier } from "./classifier.ts";
import { Gate } from "./gate.ts";
import { modeRefusal } from "./mode-refusal.ts";

export function openGate(all: Assembly, sandbox: SandboxState): Gate & { kept(): Promise<void> } {
  const { current, world, outbox } = all;
  const { workspace } = world.tools;
  let kept = Promise.resolve();
  let classifier: Promise<Classifier> | undefined;
  const gate = new Gate({
    mode: current.snapshot.mode,
    rules: current.snapshot.rules,
    home: current.snapshot.home,
    refusal: (mode) => modeRefusal(mode, current.snapshot, process.getuid?.()),
    readable: world.readable,
    memory: () => all.instructions.realMemory,
    plan: () => all.plan.path(),
    governing: () => all.governing.forGate(),
    sandbox,
    shell: world.shellKind,
    git: {
      root: workspace.root,
      home: current.snapshot.home,
      isTrusted: () => current.snapshot.trusted,
      directories: () => workspace.directories,
      env: () => current.snapshot.childEnv,
    },
    isShielded: (from) => world.hidesDenied(from),
    warn: all.options.warn,
    cwd: () => workspace.cwd,
    directories: () => workspace.directories,
    addDirectories: (paths) => {
      world.addDirectories(paths);
      all.hooks.surroundings.directoriesAdded(paths, "permission_update");
    },
    removeDirectories: (paths) => world.removeDirectories(paths),
    managedOnly: () => current.snapshot.settings["allowManagedPermissionRulesOnly"] === true,
    classify: async (decision, mode, request, signal) => {
      if (mode !== "auto") return decision;
      classifier ??= openClassifier(all);
      return (await classifier).judge(decision, mode, request, signal);
    },
    keep: (updates) => {
      kept = kept.then(() => keepRules(updates, all));
    },
    show: (signal) => outbox.show(signal),
    fire: (event, input, signal) => all.hooks.fire(event, input, signal),
    originOf: (tool) => all.mcp.originOf(tool),
  });
  return Object.assign(gate, { kept: () => kept });
}

async function openClassifier({ current, conversation, world, cost, outbox, now }: Assembly): Promise<Classifier> {
  const { Classifier } = await import("./classifier.ts");
  const { workspace } = world.tools;
  return new Classifier({
    rules: () => current.snapshot.settings.autoMode ?? {},
    model: () => current.model,
    conversation: () => conversation.messages,
    directories: () => workspace.directories,
    cwd: () => workspace.cwd,
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
    show: (signal) => outbox.show(signal),
    now,
  });
}

/** What a person accepted for good goes to the settings file they chose. The session has it already. */
async function keepRules(updates: readonly PermissionUpdate[], { current, options, world }: Assembly): Promise<void> {
  if (updates.length === 0) return;
  // The files of the user's that take note of it are among these.
  const finished = world.writingSettings(current.snapshot.sources.map(({ path }) => path));
  const { problems } = await writeRules(updates, current.snapshot).finally(finished);
  for (const problem of problems) options.warn(problem);
}
