// Gives control requests access to the parts of a session.

import { existsSync } from "node:fs";
import type { PromptMessage } from "@keelson/protocol";
import { customTitle, dequeued } from "@keelson/store";
import type { Assembly } from "../session/assembly.ts";
import type { ControlTargets } from "./targets.ts";
import { mayChangeModel, mayChangeSettings, tellModelChange } from "../hooks/session-events.ts";
import { namedInInitialize } from "../mcp/named.ts";
import { chooseModel } from "../model/model-choice.ts";

export function targetsOf(all: Assembly): ControlTargets {
  const { current, place, options, outbox, inbox, world, gate, cost, fileHistory, now, newId } = all;
  const show: ControlTargets["show"] = (signal) => outbox.show(signal);
  return {
    sessionId: place.id,
    send: (message) => outbox.send(message),
    show,
    newId,
    now,
    startedMs: now(),
    snapshot: () => current.snapshot,
    adopt: all.adopt,
    mayAdopt: (next) => mayChangeSettings(all.hooks.fire, current.snapshot, next),
    model: () => current.model,
    setModel: async (name) => {
      const { debug, entrypoint } = options;
      const next = await chooseModel(current.snapshot, { model: name, sessionId: place.id, entrypoint, debug });
      const change = {
        from: current.model.profile.id,
        to: next.profile.id,
        requested: name ?? "default",
        source: "sdk",
        cacheTtl: next.cache.ttl,
      };
      const refusal = await mayChangeModel(all.hooks.fire, change);
      if (refusal !== undefined) throw new Error(refusal);
      current.model = next;
      for (const text of await tellModelChange(all.hooks.fire, change)) all.notify(text);
      return next.profile.id;
    },
    tuneModel: (next) => (current.model = next),
    mode: () => gate.mode,
    gate,
    tools: () => current.tools,
    system: () => current.system,
    conversation: () => all.conversation.messages,
    memoryFiles: () => all.instructions.files().map(({ path, kind, text }) => ({ path, type: kind, text })),
    cost,
    lastUsage: () => current.lastUsage,
    workspace: world.tools.workspace,
    search: world.tools.search,
    seen: world.tools.seen,
    tasks: world.tasks,
    addDirectories: (paths) => {
      world.addDirectories(paths);
      all.hooks.surroundings.directoriesAdded(paths, "register_repo_root");
    },
    hooks: () => all.hooks.registered(),
    setClientHooks: (registrations) => all.hooks.setClient(registrations),
    setClient: (client) => {
      all.mcp.add(namedInInitialize(client));
      const idle = NOT_YET.filter((key) => client[key] !== undefined);
      if (idle.length > 0) options.warn(`Not supported in this version and ignored: ${idle.join(", ")}`);
      all.plan.setWorkflow(client.planModeInstructions);
    },
    mcp: all.mcp,
    queued: () => inbox.ids,
    cancelQueued: (uuid) => cancelled(uuid === undefined ? inbox.clear() : inbox.take(uuid), all),
    isRunning: () => all.session.running,
    title: () => current.title,
    rename: (title) => {
      current.title = title;
      const entry = customTitle(place.id, title);
      if (entry !== undefined && place.path !== null && existsSync(place.path)) outbox.note(entry);
      void show({ type: "system", subtype: "session_title_changed", title });
    },
    ...(fileHistory ? { rewind: fileHistory.rewind } : {}),
  };
}

/** Options that clients may send and that have no effect yet. */
const NOT_YET = ["agents", "skills", "plugins", "toolAliases"] as const;

/** Records in the transcript that the prompts left the queue, and tells their sender. */
function cancelled(prompts: readonly PromptMessage[], { outbox, place: { id }, now }: Assembly): readonly string[] {
  return prompts.flatMap(({ uuid }) => {
    outbox.note(dequeued(id, now()));
    if (uuid === undefined) return [];
    outbox.lifecycle(uuid, "cancelled");
    return [uuid];
  });
}
