// The skill stage of a session: finds the skills, offers them to the model and the user, and invokes them.

import { openSkillSet } from "@keelson/config/skill-set";
import type { SkillSet } from "@keelson/config/skills";
import { join } from "node:path";
import type { Expansion, ModelChoice, Ports, Tool } from "@keelson/engine";
import type { ChainSubject, HookRegistration, Skill } from "@keelson/protocol";
import { skillTool, type SkillKeeper } from "@keelson/tools";
import type { AgentStage } from "../agents/open-agents.ts";
import type { Permit } from "../gate/approvals.ts";
import type { Gate } from "../gate/gate.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { Machine } from "../machine/machine.ts";
import { toolsOf } from "../session/state.ts";
import type { Storage } from "../session/storage.ts";
import { bundledFor } from "./bundled/bundled.ts";
import type { BundledTexts } from "./bundled/bundled-texts.ts";
import type * as Expanding from "./expand-skill.ts";
import type * as ForAgents from "./agent-skills.ts";
import type { AgentSkills } from "./agent-skills.ts";
import type { SkillInvocation } from "./invoke.ts";
import type * as Invoked from "./invoked-texts.ts";
import type { InvokedText } from "./invoked-texts.ts";
import type * as Keeper from "./keeper.ts";
import type * as Listed from "./listed-in.ts";
import { SessionSkills } from "./session-skills.ts";
import { TurnEffects, type EffectTargets } from "./turn-effects.ts";

export interface SkillStage {
  readonly skills: SessionSkills;
  readonly effects: TurnEffects;
  readonly tool: Tool;
  /** A run begins: what earlier skills changed is over. */
  begin(ports: Ports): void;
  close(): void;
  /** What a typed skill or command stands for; undefined if there is none of this name. */
  expand(name: string, args: string): Expansion | undefined;
  /** The latest text of each skill that was invoked in the conversation, newest first. */
  invoked(): readonly InvokedText[];
  /** How skills with `context: fork` run. */
  useAgents(runSkill: RunSkill): void;
  /** The same skills for a subagent. What they grant there, the session does not get. */
  forAgent(agent: AgentSkillParts): AgentSkills;
}

export interface AgentSkillParts extends Pick<SkillParts, "permit" | "machine" | "gate"> {
  setHooks(registrations: readonly HookRegistration[]): void;
  model(): ModelChoice;
  ports(): Ports;
  readonly runSkill: RunSkill;
}

export interface SkillParts {
  readonly permit: Permit;
  readonly storage: Storage;
  readonly machine: Machine;
  readonly gate: Gate;
  readonly hooks: SessionHooks;
}

export async function openSkills(parts: SkillParts, { off = false } = {}): Promise<SkillStage> {
  const { storage, machine, hooks } = parts;
  const { state, place, newId } = storage;
  const effects = effectsOf(parts, {
    setHooks: (registrations) => hooks.setSkills(registrations),
    model: () => state.model,
  });
  const isOff = off || state.snapshot.flags.disableSlashCommands === true;
  const readAll = isOff ? () => undefined : await skillReader(parts);
  const skills = new SessionSkills(
    {
      snapshot: () => state.snapshot,
      load: readAll,
      bundled: isOff ? [] : bundledFor(state.snapshot),
      contextWindow: () => state.model.profile.contextWindow,
      isOffered: () => toolsOf(state).some(({ name }) => name === "Skill"),
      newId,
      warn: storage.options.warn,
    },
    place.loaded ? listedIn(place.loaded.entries) : [],
  );
  hooks.onReloadSkills(() => skills.reload());
  const invoked = place.loaded ? invokedIn(place.loaded.entries) : new Map<string, InvokedText>();
  let ports: Ports | undefined;
  let runSkill: RunSkill | undefined;
  let texts: BundledTexts | undefined;
  const invokerOf =
    (own: SkillParts, changed: TurnEffects, portsNow: () => Ports, runs: () => RunSkill | undefined): Invoke =>
    async (skill, args, toolUseId) => {
      const { invokeSkill } = await import("./invoke.ts");
      texts ??= await openTexts(machine.outputDir);
      const done = await invokeSkill(skill, args, {
        ...own,
        effects: changed,
        texts,
        ports: portsNow(),
        toolUseId,
        runSkill: runs(),
      });
      if (own === parts && !done.fork) {
        invoked.delete(skill.name);
        invoked.set(skill.name, { name: skill.name, path: skill.file, text: done.text });
      }
      return done;
    };
  const invoke = invokerOf(
    parts,
    effects,
    () => ports!,
    () => runSkill,
  );
  storage.onClear(() => {
    skills.restart();
    invoked.clear();
  });
  storage.onCompact(() => skills.restart());
  storage.onRewind((entries) => {
    skills.restart(listedIn(entries));
    invoked.clear();
    for (const [name, text] of invokedIn(entries)) invoked.set(name, text);
  });
  return {
    skills,
    effects,
    tool: skillTool(lateKeeper(skills, invoke, newId)),
    invoked: () =>
      [...invoked.values()]
        .reverse()
        .map((skill) => (skill.path === "" ? { ...skill, path: skills.find(skill.name)?.file ?? "" } : skill)),
    useAgents: (run) => void (runSkill = run),
    forAgent: (agent) =>
      // `require`, not `import()`: the tools of an agent are made in one tick.
      (require("./agent-skills.ts") as typeof ForAgents).agentSkills({
        skills,
        effects: effectsOf({ ...parts, ...agent }, agent),
        invoker: (effects) => invokerOf({ ...parts, ...agent }, effects, agent.ports, () => agent.runSkill),
        keeper: (invokeThere) => lateKeeper(skills, invokeThere, newId),
      }),
    begin(next) {
      effects.end();
      ports = next;
    },
    close() {
      texts?.close();
      // Later sessions find large folders faster.
      skills.set?.saveIndex();
    },
    expand(name, args) {
      const skill = skills.find(name);
      if (!skill) return undefined;
      const { expandSkill } = require("./expand-skill.ts") as typeof Expanding;
      return expandSkill(skill, name, args, { invoke, snapshot: () => state.snapshot, warn: storage.options.warn });
    },
  };
}

/** Runs the text of a skill in a subagent. Rejects with a sentence for the user. */
export type RunSkill = AgentStage["runSkill"];

export type Invoke = (skill: Skill, args: string, toolUseId?: string) => Promise<SkillInvocation>;

/** Loaded with the first call. `require`, not `import()`: the gate asks at once what a call would touch. */
function lateKeeper(skills: SessionSkills, invoke: Invoke, newId: () => string): SkillKeeper {
  let keeper: SkillKeeper | undefined;
  const loaded = () => (keeper ??= (require("./keeper.ts") as typeof Keeper).keeperOf(skills, invoke, newId));
  return {
    find: (name) => loaded().find(name),
    invoke: (name, args, toolUseId) => loaded().invoke(name, args, toolUseId),
  };
}

function effectsOf(
  { storage, gate }: Pick<SkillParts, "storage" | "gate">,
  targets: Pick<EffectTargets, "setHooks" | "model">,
): TurnEffects {
  const { state } = storage;
  return new TurnEffects({
    ...targets,
    rules: {
      permitted: (rules) => gate.ruleBook.permitted(rules),
      grant: (rules) => gate.ruleBook.grant(rules),
      revoke: (rules) => gate.ruleBook.revoke(rules),
      end: () => gate.ruleBook.endGrants(),
    },
    chooseModel: (model) => storage.chooseModel(model),
    chosenEffort: () => state.snapshot.flags.effort,
    cwd: state.snapshot.cwd,
  });
}

async function openTexts(outputDir: string): Promise<BundledTexts> {
  const { openBundledTexts } = await import("./bundled/bundled-texts.ts");
  return openBundledTexts(join(outputDir, "skills"));
}

/** Loaded late: only a resumed conversation has any. */
const invokedIn = (entries: Iterable<ChainSubject>) =>
  (require("./invoked-texts.ts") as typeof Invoked).invokedIn(entries);

const listedIn = (entries: Iterable<ChainSubject>) => (require("./listed-in.ts") as typeof Listed).listedIn(entries);

/** Reads the files of all skills. Only linked ones need the gate; without deny rules, none do. */
async function skillReader({ storage: { state }, gate }: SkillParts): Promise<() => SkillSet> {
  const hides = () => state.snapshot.rules.some(({ behavior }) => behavior === "deny");
  let asked = false;
  let isDenied = (_: string) => (asked = hides());
  const read = () => openSkillSet(state.snapshot, { isDenied: (path) => isDenied(path) });
  const first = read();
  isDenied = (path) => hides() && !gate.ruleBook.mayRead(path);
  if (asked) await gate.warm();
  let fresh = asked ? undefined : first;
  return () => {
    const set = fresh ?? read();
    fresh = undefined;
    return set;
  };
}
