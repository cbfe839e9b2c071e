// What the engine is handed for one run, from the parts of the session.

import type { Ports } from "@keelson/engine";
import { createFiles, gitBranch } from "@keelson/host";
import type { Assembly } from "./assembly.ts";
import { boundedRead } from "../gate/bounded-read.ts";
import { initSignal } from "./facts.ts";
import { concurrencyOf } from "./limits.ts";

export function portsOf(all: Assembly, signal: AbortSignal): Ports {
  const { options, current, world, gate, outbox, inbox, cost, controls, fileHistory, instructions, hooks } = all;
  const { workspace } = world.tools;
  const asks = options.stdioPermissions;
  return {
    model: current.model,
    tools: current.tools,
    allTools: all.allTools,
    system: current.system,
    signal,
    concurrency: concurrencyOf(current.snapshot),
    partial: options.partial,
    record: (entries) => {
      fileHistory?.recording(entries);
      for (const entry of entries)
        if (entry.type === "user" && entry.toolUseResult) cost.countLines(entry.toolUseResult);
      return outbox.record(entries);
    },
    show: (message) => outbox.show(message),
    admitted: () => {
      current.branch = gitBranch(workspace.cwd);
      return outbox.show(
        initSignal({
          ...current,
          cwd: workspace.cwd,
          mode: gate.mode,
          mcpServers: all.mcp.summary(),
          memory: instructions.memory,
        }),
      );
    },
    fire: async (event, input) => {
      // What hooks set up for a new folder holds for the next command.
      if (event === "PreToolUse") await hooks.surroundings.settled(signal);
      return hooks.fire(event, input, signal);
    },
    instructionsFor: (access) => instructions.touched(access),
    forbids: (request) => gate.forbids(request),
    permit: (request, withdrawn) => {
      const over = AbortSignal.any([signal, withdrawn]);
      if (!asks) return gate.permit(request, undefined, over);
      return gate.permit(
        request,
        (body, answered) => all.session.whileAsking(controls.request(body, AbortSignal.any([over, answered]))),
        over,
      );
    },
    interrupt: () => all.session.interrupt(),
    context: (call) => {
      const judged = (path: string) => gate.judgedPath(call, path);
      return {
        ...world.tools,
        files: fileHistory ? fileHistory.around(createFiles(judged), call, judged) : createFiles(judged),
        toolUseId: call.id,
        signal,
        mayRead: boundedRead(
          (path) => gate.mayRead(path),
          () => performance.now(),
        ),
      };
    },
    spill: (name, text) => world.spill(name, text),
    steering: () => [...inbox.takeNotices(), ...all.plan.news()],
    charge: (usage, name, durationMs) => {
      current.lastUsage = usage;
      cost.charge(usage, name, durationMs);
    },
    spent: () => cost.totalUsd,
    now: all.now,
    newId: all.newId,
  };
}
