// A session that runs as an agent (`--agent`): its text, tools, model, mode, hooks, servers, skills and first prompt take
// the place of the session's own. Loaded only for such a session.

import { agentText } from "@keelson/config/agents";
import type { Snapshot } from "@keelson/config";
import { nudge, parseRule, type Rule, type Tool } from "@keelson/engine";
import { agentMode, agentModel, agentTools, widensMode } from "@keelson/engine/agents";
import { blocksOf, isText, textOf, type AgentDefinition, type PromptMessage } from "@keelson/protocol";
import { nearestWord } from "@keelson/protocol/nearest-word";
import { checkBudget, modelRates } from "../../model/model-choice.ts";
import { adopt, ownSystemPrompt, type Stages } from "../../session/life.ts";
import { OpenError } from "../../session/place.ts";
import { runPorts, type RunParts } from "../../session/ports.ts";
import { builtInText } from "../built-in/texts.ts";
import { ownServers } from "./own-servers.ts";
import { preload } from "./preload.ts";
import { isLowerEffort } from "../../skills/turn-effects.ts";

export interface MainAgent {
  readonly definition: AgentDefinition;
  /** Its part of the system prompt. */
  readonly prompt: string;
  /** The folder of its memory, which it may write to. */
  readonly memory?: string;
  /** The only agents it may start. Absent: any. */
  readonly agents?: readonly string[];
  /** The same array for the same tools. */
  chooseTools(tools: readonly Tool[]): readonly Tool[];
  /** A snapshot with its hooks, servers and rules. Adapting one twice changes nothing. */
  adapt(snapshot: Snapshot): Snapshot;
}

export interface MainStage {
  /** Why the session cannot run as the agent. */
  readonly problem: string | undefined;
  readonly initialPrompt: string | undefined;
  /** The client may have described the agent by now; its skills are in the first request. */
  beforeRun(signal: AbortSignal): Promise<void>;
  /** The first prompt of a new session begins with what the agent wants to be asked. */
  opening(prompt: PromptMessage): PromptMessage;
}

type Parts = Stages & RunParts;

/** Throws OpenError if there is no such agent and the client cannot describe it any more. */
export async function openMain(name: string, parts: Parts): Promise<MainStage> {
  const { storage, agents } = parts;
  const { state, options, place } = storage;
  let problem: string | undefined;
  let isNew = place.loaded === undefined;
  let needsSkills = isNew;
  /** The session whose transcript says who it runs as. */
  let noted = place.loaded?.agent === name ? place.id : undefined;
  storage.onClear(() => void (needsSkills = true));

  // No one asked for it now: the session was saved with it.
  const isKept = state.snapshot.flags.agent === undefined && place.loaded?.agent === name;

  const become = async () => {
    const definition = agents.find(name);
    if (definition === undefined) return void (problem = unknownAgent(name, parts));
    problem = undefined;
    state.agent = await mainAgent(definition, parts);
    adopt(state.snapshot, parts);
    state.system = state.ownSystem = ownSystemPrompt(state);
    await warnOfHeld(definition, parts);
    await applyModel(definition, parts);
    applyMode(isKept ? { ...definition, untrusted: true } : definition, parts);
  };
  await become();
  let isWarned = false;
  if (problem !== undefined && !options.answers.requests && !isKept) throw new OpenError(problem, "setup");
  return {
    get problem() {
      return isKept ? undefined : problem;
    },
    get initialPrompt() {
      return isNew ? state.agent?.definition.initialPrompt : undefined;
    },
    async beforeRun(signal) {
      if (state.agent === undefined) await become();
      if (isKept && problem !== undefined && !isWarned) {
        isWarned = true;
        options.warn(`This session ran as the agent "${name}", which no longer exists; it continues without it`);
      }
      const { definition } = state.agent ?? {};
      // A resumed session runs as the same agent.
      if (definition && noted !== place.id) {
        noted = place.id;
        storage.outbox.note({ type: "agent-setting", agentSetting: name, sessionId: place.id });
      }
      if (!needsSkills || !definition || definition.skills.length === 0) return;
      needsSkills = false;
      for (const text of await preload(definition, skillsOf(parts, signal), options.warn))
        storage.inbox.notify(nudge(text, storage.newId()), { wakes: false });
    },
    opening(prompt) {
      const { initialPrompt } = state.agent?.definition ?? {};
      if (!isNew || initialPrompt === undefined || isCommand(prompt)) return prompt;
      isNew = false;
      return withFirst(initialPrompt, prompt);
    },
  };
}

async function mainAgent(definition: AgentDefinition, { storage, mcp }: Parts): Promise<MainAgent> {
  const { snapshot } = storage.state;
  const text = definition.source === "built-in" ? builtInText(definition.name) : await agentText(definition);
  const { agentMemory, agentMemoryFolder } = definition.memory ? await import("./memory.ts") : {};
  const memory = definition.untrusted ? undefined : agentMemoryFolder?.(definition, snapshot);
  const { hooks } = definition;
  const servers = ownServers(definition, snapshot);
  const choose = (tools: readonly Tool[]) =>
    agentTools(tools, definition, {
      kind: "main",
      maySpawn: true,
      serverOf: (tool) => mcp.servers?.originOf(tool)?.server,
    });
  // What it may start does not depend on the tools there are.
  const { agents, denied } = choose([AGENT]);
  const rules = denied.flatMap((rule) => denyRule(rule, snapshot.cwd));
  const chosen = new WeakMap<readonly Tool[], readonly Tool[]>();
  return {
    definition,
    prompt: [text.trim(), definition.criticalReminder, agentMemory?.(definition, snapshot)]
      .filter(Boolean)
      .join("\n\n"),
    ...(memory === undefined ? {} : { memory }),
    ...(agents ? { agents } : {}),
    chooseTools(tools) {
      const known = chosen.get(tools);
      if (known) return known;
      const left = new Set(choose(tools).tools);
      // The answer's schema is the caller's wish, not the agent's.
      const all = tools.filter((tool) => left.has(tool) || tool.name === "StructuredOutput");
      chosen.set(tools, all);
      return all;
    },
    adapt(given) {
      const others = <T>(all: readonly T[], own: readonly T[]) => all.filter((each) => !own.includes(each));
      return {
        ...given,
        rules: [...others(given.rules, rules), ...rules],
        hooks: { ...given.hooks, active: [...others(given.hooks.active, hooks), ...hooks] },
        mcp: {
          servers: [...others(given.mcp.servers, servers.servers), ...servers.servers],
          unused: [...others(given.mcp.unused, servers.unused), ...servers.unused],
        },
      };
    },
  };
}

const AGENT = { name: "Agent" } as Tool;

function denyRule(text: string, base: string): readonly Rule[] {
  const parsed = parseRule(text);
  return parsed ? [{ behavior: "deny", ...parsed, source: "session", base, text }] : [];
}

/** The user named the agent, and should know why it has less than its file says. */
async function warnOfHeld({ file, source, untrusted }: AgentDefinition, { storage }: Parts): Promise<void> {
  const folder = source === "project" && untrusted ? /^(.*)\/\.claude\/agents\//.exec(file ?? "")?.[1] : undefined;
  if (file === undefined || folder === undefined) return;
  const { whyTextHeld } = await import("@keelson/config/skills");
  const why = whyTextHeld(file, folder, storage.state.snapshot);
  if (why !== undefined) storage.options.warn(`${file}: ${why}`);
}

/** What the command line says takes precedence. */
async function applyModel({ model, effort, untrusted }: AgentDefinition, { storage }: Parts): Promise<void> {
  const { state } = storage;
  const { snapshot } = state;
  const { flags } = snapshot;
  const name = flags.model === undefined ? agentModel({ env: {}, agent: model }) : "inherit";
  if (name !== "inherit") {
    state.model = await storage.chooseModel(name);
    checkBudget(snapshot, modelRates(snapshot), state.model.profile.id);
  }
  const mayChoose = !untrusted || isLowerEffort(effort ?? "", state.model.effort);
  if (effort !== undefined && mayChoose && flags.effort === undefined && state.model.profile.effort)
    state.model = { ...state.model, effort };
}

/** An agent of a folder that is not trusted, or one that only a transcript names, makes the mode stricter or leaves it. */
function applyMode(definition: AgentDefinition, { storage, gate }: Parts): void {
  const { permissionMode: wanted, name } = definition;
  const { flags } = storage.state.snapshot;
  if (wanted === undefined || flags.permissionMode !== undefined || flags.skipPermissions) return;
  const { ruleBook } = gate;
  const mayWiden = widensMode(definition);
  // The flag is what allows it; the definition only chooses it.
  const mayBypass = mayWiden && wanted === "bypassPermissions" && flags.allowSkipPermissions === true;
  const mode = mayBypass ? wanted : agentMode(ruleBook.mode, wanted, { mayWiden });
  const refusal = mode === ruleBook.mode ? undefined : ruleBook.setMode(mode);
  if (refusal !== undefined) storage.options.warn(refusal);
  else if (mayWiden && wanted !== mode && (wanted === "auto" || wanted === "bypassPermissions"))
    storage.options.warn(`The agent "${name}" cannot choose ${wanted} mode; start with --permission-mode ${wanted}`);
}

function skillsOf(parts: Parts, signal: AbortSignal) {
  const { permit, machine, gate, skills, storage, agents } = parts;
  return skills.forAgent({
    permit,
    machine,
    gate,
    runSkill: agents.runSkill,
    setHooks: () => undefined,
    model: () => storage.state.model,
    ports: () => runPorts(parts, signal),
  });
}

/** A command that the user types is not part of a longer text. */
const isCommand = ({ message }: PromptMessage) => textOf(message.content).startsWith("/");

/** One block: what the agent wants to be asked, an empty line, and the prompt. */
function withFirst(first: string, prompt: PromptMessage): PromptMessage {
  const blocks = blocksOf(prompt.message.content);
  const said = blocks.find(isText);
  const text = !said || said.text.trim() === "" ? first : `${first}\n\n${said.text}`;
  const others = blocks.filter((block) => block !== said);
  const content = others.length === 0 ? text : [{ type: "text" as const, text }, ...others];
  const byUser = prompt.byUser === true ? { byUser: textOf(prompt.message.content) } : {};
  return { ...prompt, ...byUser, message: { ...prompt.message, content } };
}

function unknownAgent(name: string, { storage, agents }: Parts): string {
  const names = agents.list().map((agent) => agent.name);
  const close = nearestWord(name, names);
  const meant = close === undefined ? "" : `; did you mean "${close}"?`;
  const where = storage.state.snapshot.flags.agent === undefined ? ' (setting "agent")' : "";
  return `No agent is called "${name}"${where}${meant || "."} Available agents: ${names.join(", ")}`;
}
