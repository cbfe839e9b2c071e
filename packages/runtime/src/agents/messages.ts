// SendMessage to agents: one that works reads it at its next step, one that is done continues with it.

import { existsSync } from "node:fs";
import { Conversation } from "@keelson/engine";
import { withoutReminderTags, type AgentDefinition, type NewEntry } from "@keelson/protocol";
import {
  agentPath,
  isAgentId,
  readAgentMeta,
  storedAgents,
  worksElsewhere,
  type AgentMeta,
} from "@keelson/store/agents";
import { loadSession } from "@keelson/store/past";
import { prefaceOf } from "./child/run.ts";
import { planChild } from "./plan-child.ts";
import { begin, isTypeDenied, maySpawn, NEVER, type AgentHost } from "./run-agents.ts";
import type { Spawner } from "./spawner.ts";

export interface AgentMessage {
  readonly to: string;
  readonly text: string;
  readonly from: Spawner;
  readonly toolUseId: string;
}

interface Delivery {
  readonly success: boolean;
  readonly message: string;
}

/** Messages to one agent are delivered one after the other. */
export async function sendToAgent(message: AgentMessage, host: AgentHost): Promise<Delivery> {
  const known = addressee(message.to, host);
  if (!known) return unreachable(message.to, host.stages.team?.others() ?? []);
  const { id } = known;
  if (id === message.from.id) return { success: false, message: "You cannot write to yourself." };
  const deliveries = (host.deliveries ??= new Map());
  const before = deliveries.get(id);
  const delivered = (async () => {
    await before;
    return deliver(message, known, host);
  })();
  const settled = delivered.catch(() => undefined);
  deliveries.set(id, settled);
  await settled;
  if (deliveries.get(id) === settled) deliveries.delete(id);
  return delivered;
}

const unreachable = (to: string, members: readonly string[]): Delivery => ({
  success: false,
  message:
    `No agent '${to}' can be reached. Use the agentId that the Agent tool returned, or the name you gave the agent.` +
    // Members that are started together do not join at the same moment.
    (members.length > 0 ? ` In the team now: ${members.join(", ")}. One that is still being started joins soon.` : ""),
});

/** How long a message waits for the end of an agent that is over but not tidied up. */
const END_MS = 10_000;

async function deliver(message: AgentMessage, { id, meta }: Addressee, host: AgentHost): Promise<Delivery> {
  const { text, from, toolUseId } = message;
  const { storage, machine } = host.stages;
  const { place, newId } = storage;
  const inbox = machine.agentInboxes.get(id);
  if (inbox) {
    inbox.notify(messageEntry(text, from, newId()), { wakes: true });
    return { success: true, message: `Message queued for agent ${id}. It reads it at its next step.` };
  }
  const failed = (why: string): Delivery => ({ success: false, message: why });
  await machine.tasks.wait(id, { timeoutMs: END_MS, signal: NEVER });
  if (machine.tasks.get(id)?.status === "running") return failed(`Agent ${id} is about to end; try again later.`);
  const path = place.path === null ? undefined : agentPath(place.dir, place.id, id);
  const definition = meta && host.find(meta.agentType);
  if (!meta || path === undefined || !existsSync(path)) {
    return failed(`Agent ${id} has ended, and its conversation was not kept; start a new agent.`);
  }
  if (!definition) return failed(`Agent ${id} cannot continue: there is no agent type '${meta.agentType}'.`);
  if (worksElsewhere(meta)) return failed(`Agent ${id} works in another process that has this session open.`);
  const refusal = whyNotWoken(definition, from, host);
  if (refusal !== undefined) return failed(`Agent ${id} has ended and cannot continue: ${refusal}`);
  const past = pastOf(path);
  if (past instanceof Error) return failed(`The conversation of agent ${id} cannot be read: ${past.message}`);
  const conversation = await Conversation.of(past?.entries ?? [], prefaceOf({ definition }, host.stages));
  const plan = await planChild(
    {
      definition,
      description: meta.description,
      prompt: text,
      name: meta.name,
      background: true,
      // Its worktree is found by its id, never by what the file says.
      isolated: meta.worktreePath !== undefined || definition.isolation === "worktree",
      toolUseId,
      signal: NEVER,
      id,
      startedBy: meta.toolUseId,
      // Others can write to that file, and what they name is another agent than the one that was started.
      isChosenByOthers: machine.tasks.get(id)?.agent?.type !== meta.agentType,
      past: { conversation, leaf: past?.leafUuid ?? null },
    },
    from,
    host.stages,
  );
  const child = await begin(plan, NEVER, host);
  return {
    success: true,
    message: `Agent ${id} continues in the background with your message. A notice tells you when it is done. Output: ${child.outputPath()}`,
  };
}

function pastOf(path: string): ReturnType<typeof loadSession> | Error {
  try {
    return loadSession({ path });
  } catch (error) {
    return error as Error;
  }
}

/** To wake an agent is to start one. */
function whyNotWoken({ name, oneShot }: AgentDefinition, from: Spawner, host: AgentHost): string | undefined {
  if (oneShot) return `start a new agent of type '${name}' instead`;
  const starts = [...from.tools(), ...from.deferredTools()].some((tool) => tool.name === "Agent");
  if (!starts || from.isFork || !maySpawn(from, host)) return "you may not start agents";
  return host.mayStart(name) && !isTypeDenied(name, from) ? undefined : `agents of type '${name}' may not be started`;
}

interface Addressee {
  readonly id: string;
  readonly meta: AgentMeta | undefined;
}

/** By id or by name; of several with one name, the latest. */
function addressee(to: string, { stages, names }: AgentHost): Addressee | undefined {
  const { place } = stages.storage;
  const id = isAgentId(to) ? to : names?.get(to);
  if (id !== undefined) {
    const meta = place.path === null ? undefined : readAgentMeta(agentPath(place.dir, place.id, id));
    const isKnown = meta !== undefined || stages.machine.tasks.get(id)?.type === "local_agent";
    if (isKnown || isAgentId(to)) return isKnown ? { id, meta } : undefined;
  }
  const named = storedAgents(place.dir, place.id).findLast(({ meta }) => meta.name === to);
  return named && { id: named.id, meta: named.meta };
}

function messageEntry(text: string, { id }: Spawner, uuid: string): NewEntry {
  const from = id === undefined ? "The agent that started you writes" : `Agent ${id} writes`;
  return {
    type: "user",
    uuid,
    isMeta: true,
    message: { role: "user", content: [{ type: "text", text: `${from}:\n\n${inert(text)}` }] },
  };
}

/** What an agent writes cannot pass for what we say. */
function inert(text: string): string {
  return withoutReminderTags(text).replaceAll(/<(?=[\s/]*(?:task-notification|teammate-message))/gi, "&lt;");
}
