// What hooks are given of a session.

import { findTool } from "@keelson/engine";
import { OFFLINE_ID } from "@keelson/model";
import type { Assembly } from "../session/assembly.ts";
import { chooseModel } from "../model/model-choice.ts";
import { portsOf } from "../session/ports.ts";
import type { SessionHooksOptions } from "./session-hooks.ts";

export function hookOptionsOf(all: Assembly): SessionHooksOptions {
  const { current, options, place, world, outbox, inbox, cost, now, newId } = all;
  const { workspace } = world.tools;
  const { debug, entrypoint } = options;
  return {
    place,
    entrypoint,
    snapshot: () => current.snapshot,
    includeEvents: options.hookEvents ?? false,
    cwd: () => workspace.cwd,
    undoChanges: () => world.undoChanges(),
    mode: () => all.gate.mode,
    effort: () => current.model.effort,
    env: current.snapshot.env,
    callOf: async (tool, input) => {
      const { context } = portsOf(all, new AbortController().signal);
      const access = findTool(current.tools, tool)?.access(
        input,
        context({ type: "tool_use", id: newId(), name: tool, input }),
      );
      return {
        tool,
        input,
        access: await access,
        cwd: workspace.cwd,
        home: current.snapshot.home,
        directories: workspace.directories,
      };
    },
    callClient: (callbackId, input, signal) => all.controls.callHook(callbackId, input, signal),
    callMcpTool: (...call) => all.mcp.callTool(...call),
    model: async (name) => {
      // Whoever works offline has every model replaced.
      if (current.model.profile.id === OFFLINE_ID) return current.model;
      return chooseModel(current.snapshot, { model: name ?? "haiku", sessionId: place.id, entrypoint, debug });
    },
    ports: (signal) => ({
      ...portsOf(all, signal),
      fire: (event, input) => all.hooks.fireWithoutModels(event, input, signal),
    }),
    entitle: (title) => (current.title = title),
    charge: (usage, name, durationMs) => cost.charge(usage, name, durationMs),
    notify: (entry, how) => inbox.notify(entry, how),
    show: (signal) => outbox.show(signal),
    warn: options.warn,
    ...(debug ? { debug } : {}),
    now,
    newId,
  };
}
