// A session from its start to each of its runs: what hooks hear first, what is looked at between runs, and how new
// settings are taken over.

import type { Snapshot } from "@keelson/config";
import type { Entry, PromptMessage } from "@keelson/protocol";
import type { Assembly } from "./assembly.ts";
import { systemPrompt } from "./facts.ts";
import { mayChangeSettings, tellStart } from "../hooks/session-events.ts";
import { namedInMap } from "../mcp/named.ts";
import type { SdkServers } from "../mcp/sdk-servers.ts";
import { offeredTools } from "../machine/pool.ts";
import { refreshed } from "./refresh.ts";

/** Hooks hear of the session before anybody else does anything in it. */
export async function startSession(all: Assembly): Promise<void> {
  const { current, options, place, inbox, outbox, hooks, mcp } = all;
  const { sdk, others } = namedInMap(options.snapshot.flags.mcpServers);
  mcp.add(sdk);
  if (others.length > 0) {
    options.warn(
      `MCP servers that are programs or addresses are not available in this version yet: ${others.join(", ")}`,
    );
  }
  // A copy kept elsewhere begins where the fork does.
  if (options.mirror && options.session.fork && place.path !== null) {
    const { readEntries } = await import("@keelson/store/past");
    outbox.mirror([...readEntries(place.path)] as unknown as Entry[]);
  }
  const { loaded } = place;
  if (loaded?.title !== undefined) {
    void outbox.show({ type: "system", subtype: "session_title_changed", title: loaded.title });
  }
  const source = !loaded ? "startup" : options.session.fork ? "fork" : "resume";
  const { context, initialUserMessage } = await tellStart(hooks.fire, {
    source,
    model: current.model.profile.id,
    title: current.title,
    setup: options.setup,
  });
  hooks.surroundings.start();
  for (const text of context) all.notify(text);
  if (initialUserMessage !== undefined) inbox.pushFirst(prompt(initialUserMessage));
}

/** Between runs, where nothing is under way: what changed on disk, and the servers a client brought. */
export async function refresh(all: Assembly, signal: AbortSignal): Promise<void> {
  const { current, instructions, hooks, mcp, gate, options, world } = all;
  await world.undoChanges();
  const changes = instructions.changes();
  if (changes !== undefined) all.notify(changes);
  const next = refreshed(current.snapshot, options.warn);
  // What a child of a command wrote just now is put back, and was read in vain: the next run reads it again.
  const isSound = next === current.snapshot || !(await world.undoChanges());
  if (next !== current.snapshot && isSound && !isRefused(next, all)) {
    if (await mayChangeSettings(hooks.fire, current.snapshot, next)) all.adopt(next);
    else current.refused = next.sources;
  }
  const { taskBudget } = current.snapshot.flags;
  if (taskBudget !== undefined) {
    const { taskBudgetNotice } = await import("../model/task-budget.ts");
    all.notify(taskBudgetNotice(taskBudget, all.cost.modelUsage, all.place.loaded?.costState?.modelUsage));
  }
  if (mcp.isUnused) return;
  await mcp.ready(signal);
  options.debug?.("mcp", () =>
    mcp
      .summary()
      .map(({ name, status }) => `${name}: ${status}`)
      .join(", "),
  );
  const { withMcpTools } = await import("../mcp/pool.ts");
  const { snapshot } = current;
  const mayAllow = snapshot.settings["allowManagedPermissionRulesOnly"] !== true;
  gate.replaceRules([...snapshot.rules, ...mcp.rules({ base: snapshot.cwd, mayAllow })]);
  current.tools = withMcpTools(offeredTools(all.allTools, snapshot), mcp.tools(), gate.rules);
  current.system = await withServerInstructions(current.ownSystem, mcp);
}

async function withServerInstructions(system: readonly string[], mcp: SdkServers): Promise<readonly string[]> {
  const said = mcp.instructions();
  if (said.length === 0) return system;
  const { renderServerInstructions } = await import("@keelson/mcp");
  return [...system.slice(0, -1), `${system.at(-1)!}\n\n${renderServerInstructions(said)}`];
}

export function adopt(next: Snapshot, all: Assembly): void {
  const { current, world, gate, hooks } = all;
  const { snapshot } = current;
  const sameFlags = next.origin.flags === snapshot.origin.flags;
  world.removeDirectories(snapshot.directories);
  world.addDirectories(next.directories);
  current.snapshot = next;
  gate.replaceRules(next.rules);
  hooks.replace(next.hooks.active);
  current.tools = offeredTools(all.allTools, next);
  if (!sameFlags) current.system = current.ownSystem = promptOf(all);
}

/** A change that hooks have refused is not put to them again and again. */
function isRefused({ sources }: Snapshot, { current: { refused } }: Assembly): boolean {
  return refused !== undefined && JSON.stringify(refused) === JSON.stringify(sources);
}

export function promptOf({ current, instructions }: Pick<Assembly, "current" | "instructions">): readonly string[] {
  return systemPrompt(current.snapshot, { ...current, memory: instructions.memory });
}

function prompt(text: string): PromptMessage {
  return { type: "user", message: { role: "user", content: text }, parent_tool_use_id: null };
}
