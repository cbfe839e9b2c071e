// Opens the built-in tools for an MCP client: the stages of a session without a model, a conversation or a transcript.
// Every call goes through the same gate, hooks, shield and limits as a call of the model.

import { ControlChannel, type SessionQuestion } from "@keelson/client/requests";
import type { Snapshot } from "@keelson/config";
import { findTool, type ReadLedger, type Tool } from "@keelson/engine";
import type { ServedTool, ToolSource } from "@keelson/mcp/server";
import { isObject, type JsonObject, type Unchecked } from "@keelson/protocol";
import type { Debug } from "../observe/debug.ts";
import { openGate, openRuleBook } from "../gate/open-gate.ts";
import { openHooks } from "../hooks/open-hooks.ts";
import { fireSessionStart } from "../hooks/session-events.ts";
import { openMachine, type Machine } from "../machine/machine.ts";
import { builtInTools, offeredTools } from "../machine/pool.ts";
import { optionalTools } from "../optional-tools/optional-tools.ts";
import { openServers, type McpStage } from "../mcp/open-servers.ts";
import { refresh, type Stages } from "../session/life.ts";
import type { ShippedPrograms } from "../session/open-options.ts";
import { runPorts, type RunParts } from "../session/ports.ts";
import { openPlan } from "../session/plan-mode.ts";
import { openOptions } from "../directory/wanted.ts";
import { Ownership } from "../owner/ownership.ts";
import { openStorage, type Storage } from "../session/storage.ts";
import { NO_SCHEDULES } from "../schedule/open-schedules.ts";
import { openAgents } from "../agents/open-agents.ts";
import { openSkills } from "../skills/open-skills.ts";
import { webTools } from "../web/open-web.ts";
import { CallLine } from "./call-line.ts";
import type { PermissionQuestion } from "./question.ts";
import { servedResult, servedTool } from "./result.ts";

export interface OpenToolsOptions {
  readonly snapshot: Snapshot;
  readonly entrypoint: string;
  readonly programs?: ShippedPrograms;
  readonly debug?: Debug;
  /** Asks the user whether a call may run. Undefined for yes, otherwise the reason for no. Absent: no one can be asked. */
  readonly approve?: Approve;
  warn(text: string): void;
}

export type Approve = (
  question: PermissionQuestion,
  callId: string,
  signal: AbortSignal,
) => Promise<string | undefined>;

export interface OpenedTools extends ToolSource {
  /** `callId` names the call in questions. */
  call(call: Parameters<ToolSource["call"]>[0] & { readonly callId: string }): ReturnType<ToolSource["call"]>;
  /** Ends everything that calls started. */
  close(): Promise<void>;
}

export async function openTools({ approve, ...options }: OpenToolsOptions): Promise<OpenedTools> {
  const closing = new AbortController();
  const parts = await openStages(options, approve);
  const { storage, machine, hooks, gate, mcp } = parts;
  const { state, newId, inbox, observed } = storage;
  state.allTools = [
    ...builtInTools(machine.tasks, state.snapshot.env, undefined, { draw: machine.drawPages }),
    ...webTools(parts),
    ...(await optionalTools(parts)),
  ];
  state.tools = state.builtInTools = offeredTools(state.allTools, state.snapshot);
  const started = fireSessionStart(hooks.fire, { source: "startup", model: state.model.profile.id });
  void started.then(() => hooks.changes.start());

  const shown = memo((tools: readonly Tool[]) => tools.map(servedTool));
  const line = new CallLine({
    ports(signal, interrupt) {
      const ports = { ...runPorts(parts, signal), tools: () => shown(state.tools), record: () => undefined, interrupt };
      return observed ? observed.ports(ports) : ports;
    },
    async beforeFirst() {
      await refresh(parts, closing.signal);
      // Reports for a model, such as ended background tasks. No model is here to read them.
      inbox.takeNotices();
    },
  });

  return {
    list: () => state.tools.map(describeTool),
    async call({ name, input, signal, callId }) {
      if (!findTool(state.allTools, name)) return undefined;
      await started;
      const block = { type: "tool_use", id: callId, name, input } as const;
      const either = AbortSignal.any([signal, closing.signal]);
      return servedResult(await line.settle({ block, entryId: newId() }, either));
    },
    async close() {
      closing.abort();
      storage.clients.areSilent = true;
      storage.requests.made?.close();
      await line.idle();
      await hooks.close("other");
      await mcp.close();
      await gate.saved();
      await machine.close();
      await observed?.close();
    },
  };
}

async function openStages(
  options: Omit<OpenToolsOptions, "approve">,
  approve: Approve | undefined,
): Promise<Stages & RunParts> {
  const { programs, ...own } = options;
  const settings = openOptions(
    {
      ...own,
      front: "tools",
      session: { kind: "new", persist: false },
      answers: { permissions: approve !== undefined, requests: false },
    },
    programs ? { programs } : {},
  );
  const storage = await openStorage(settings, new Ownership(settings));
  if (approve) void answerQuestions(storage, approve);
  // No one watches the stream, so nothing has to be kept for a first client.
  else storage.clients.detach(storage.clients.attach());
  const ruleBook = openRuleBook(storage);
  const machine = withRepeatedReads(await openMachine(storage, ruleBook));
  const plan = openPlan(storage, ruleBook);
  const gate = openGate(storage, machine, ruleBook, plan);
  const mcp = serversForHooks(openServers(storage, machine, ruleBook), options.snapshot);
  const { hooks, permit, permitFor, hookPortsFor } = openHooks(storage, machine, gate, mcp);
  mcp.useHooks(hooks.fire);
  const skills = await openSkills({ storage, machine, gate, hooks, permit }, { off: true });
  const schedules = NO_SCHEDULES;
  const worktrees = { isolate: () => Promise.reject(new Error("tools that are served have no agents")) };
  const agents = openAgents({
    storage,
    machine,
    gate,
    mcp,
    hooks,
    permit,
    permitFor,
    hookPortsFor,
    skills,
    worktrees,
    schedules,
  });
  return { storage, machine, gate, mcp, hooks, permit, plan, skills, agents, schedules };
}

/** Connects MCP servers only if a hook calls one of their tools. The tools themselves are never offered. */
function serversForHooks(stage: McpStage, { hooks }: Snapshot): McpStage {
  const areNeeded = hooks.active.some(({ handler }) => handler.type === "mcp_tool");
  if (areNeeded) stage.start();
  return {
    ...stage,
    get servers() {
      return stage.servers;
    },
    // A guard that is still connecting guards nothing.
    beforeRun: async (signal) => stage.servers?.settled(signal),
    configure: (next) => (areNeeded ? stage.configure(next) : undefined),
  };
}

/** The client of a session whose questions `approve` answers. It reads until it is detached. */
async function answerQuestions({ clients, requests, newId }: Storage, approve: Approve): Promise<void> {
  const person = clients.attach({ name: "MCP client", answers: { permissions: true, requests: false } });
  const asked = async ({ request, signal, answer, refuse }: SessionQuestion) => {
    if (request.subtype !== "can_use_tool") return refuse("An MCP client cannot answer this");
    try {
      const denial = await approve(questionOf(request), String(request.tool_use_id), signal);
      answer(denial === undefined ? { behavior: "allow" } : { behavior: "deny", message: denial });
    } catch (error) {
      refuse(error instanceof Error ? error.message : String(error));
    }
  };
  const channel = new ControlChannel({
    // It asks nothing.
    send: (message) => {
      if (message.type === "control_response") requests.get().answered(message, person);
    },
    newId,
    asked: (question) => void asked(question),
  });
  for await (const message of person) channel.take(message);
}

function questionOf({ tool_name, input, decision_reason }: Unchecked<"can_use_tool">): PermissionQuestion {
  return {
    tool: String(tool_name),
    input: isObject(input) ? (input as JsonObject) : {},
    reason: String(decision_reason ?? ""),
  };
}

/**
 * Read answers "unchanged" when it showed the file before. An MCP client may use one server for many conversations, so
 * here a file is always shown again.
 */
function withRepeatedReads(machine: Machine): Machine {
  const { seen } = machine.tools;
  const forgetful: ReadLedger = {
    ...seen,
    get(path) {
      const sighting = seen.get(path);
      return sighting && { ...sighting, by: "write" };
    },
  };
  return { ...machine, tools: { ...machine.tools, seen: forgetful } };
}

const READ_ONLY = new Set(["Glob", "Grep", "Read"]);

function describeTool({ name, description, input }: Tool): ServedTool {
  return {
    name,
    description,
    inputSchema: input.json,
    ...(READ_ONLY.has(name) ? { annotations: { readOnlyHint: true } } : {}),
  };
}

/** Makes a value again only if it is made from something else. */
function memo<A, B>(make: (from: A) => B): (from: A) => B {
  let last: { readonly from: A; readonly made: B } | undefined;
  return (from) => (last?.from === from ? last : (last = { from, made: make(from) })).made;
}
