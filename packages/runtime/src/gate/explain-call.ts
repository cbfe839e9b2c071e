// Explains how the gate would judge a call: same tools, rules and question as in a session, but nothing runs.

import { resolve } from "node:path";
import type { Snapshot } from "@keelson/config";
import {
  ToolError,
  validateInput,
  type Access,
  type GateDecision,
  type Rule,
  type Tool,
  type ToolContext,
} from "@keelson/engine";
import { explain, noteOn, type Explanation, type RuleNote } from "@keelson/engine/explain";
import { decide, newMatchers } from "@keelson/engine/gate";
import {
  chooseShell,
  createLedger,
  createWorkspace,
  createFiles,
  createSearch,
  programCache,
  readsAs,
} from "@keelson/host";
import { NOTHING_SAID, type JsonObject, type PermissionMode } from "@keelson/protocol";
import { createCommandLookup } from "./command-lookup.ts";
import { gateQuestion } from "./question.ts";
import { governingOf } from "../machine/governing.ts";
import { builtInTools } from "../machine/pool.ts";
import { expectedSandbox } from "../machine/sandbox.ts";

export interface HypotheticalCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** Overrides the mode from the settings. */
  readonly mode?: PermissionMode;
}

export type Explained =
  { readonly ok: true; readonly explanation: Explanation } | { readonly ok: false; readonly message: string };

export type CallVerdict =
  { readonly ok: true; readonly decision: GateDecision } | { readonly ok: false; readonly message: string };

export interface Explainer {
  /** Names of all tools that rules can name. */
  readonly tools: readonly string[];
  explain(call: HypotheticalCall): Promise<Explained>;
  /** The decision only. */
  judge(call: HypotheticalCall): Promise<CallVerdict>;
  /** The input fields of a built-in tool; undefined for other tools. */
  fields(tool: string): readonly string[] | undefined;
  /** What the call would touch; undefined if the call is not valid. */
  access(call: HypotheticalCall): Promise<Access | undefined>;
  /** Every rule in effect, with a note if something about it looks wrong. */
  notes(): Promise<readonly { readonly rule: Rule; readonly note?: RuleNote }[]>;
}

export function openExplainer(snapshot: Snapshot): Explainer {
  const { cwd, home, rules, mode, env, childEnv, trusted } = snapshot;
  // Includes tools removed by rules, so their removal can be explained.
  const builtIn = builtInTools(NO_TASKS, env, { start: refuseToRun });
  const context = contextOf(snapshot);
  const { directories } = context.workspace;
  const tools = [...builtIn.flatMap(({ name, aliases = [] }) => [name, ...aliases]), ...Object.keys(UNAVAILABLE_TOOLS)];

  const shell = readsAs(chooseShell({ env, cwd }).program);
  const governing = governingOf(
    () => snapshot,
    () => undefined,
  ).forGate();
  const known = { rules, directories, cwd, home, governing, shell } as const;
  const facts = { ...known, hook: NOTHING_SAID, readable: [], matchers: newMatchers() };
  const commandLookup = createCommandLookup({
    root: cwd,
    home,
    isTrusted: () => trusted,
    directories: () => directories,
    env: () => childEnv,
  });
  let sandbox: ReturnType<typeof expectedSandbox> | undefined;
  const ask = async ({ tool, input, mode: supposed }: HypotheticalCall) => {
    const reading = await readCall(tool, input, builtIn, context);
    if (!reading.ok) return reading;
    const confined = await (sandbox ??= expectedSandbox(snapshot));
    const question = await gateQuestion(
      { ...facts, ...confined, mode: supposed ?? mode },
      reading.call,
      async () => commandLookup,
    );
    return { ok: true, question } as const;
  };

  return {
    tools,
    async explain(call) {
      const asked = await ask(call);
      if (!asked.ok) return asked;
      return { ok: true, explanation: explain(asked.question) };
    },
    async judge(call) {
      const asked = await ask(call);
      return asked.ok ? { ok: true, decision: decide(asked.question) } : asked;
    },
    fields(name) {
      const json = builtIn.find((tool) => tool.name === name)?.input.json;
      return json && Object.keys(json["properties"] ?? {});
    },
    async access({ tool, input }) {
      const reading = await readCall(tool, input, builtIn, context);
      return reading.ok ? reading.call.access : undefined;
    },
    async notes() {
      const { analyseCommand: analyse } = await import("@keelson/engine/command");
      const ground = { rules, tools, cwd, home, directories, analyse };
      return rules.map((rule) => {
        const note = noteOn(rule, ground);
        return note === undefined ? { rule } : { rule, note };
      });
    },
  };
}

type ReadCall =
  | { readonly ok: true; readonly call: { tool: string; input: JsonObject; access: Access } }
  | { readonly ok: false; readonly message: string };

/** Validates the input and asks the tool what the call would touch. */
async function readCall(
  name: string,
  given: JsonObject,
  tools: readonly Tool[],
  context: ToolContext,
): Promise<ReadCall> {
  const tool = tools.find((each) => each.name === name) ?? tools.find((each) => each.aliases?.includes(name));
  if (tool === undefined) {
    const access = accessOfUnavailable(name, given, context.workspace.cwd);
    if (access) return { ok: true, call: { tool: name, input: given, access } };
    return { ok: false, message: `No tool is called '${name}'` };
  }
  const checked = validateInput(tool, given);
  if (!checked.ok) return { ok: false, message: checked.message.replace(/^InputValidationError: /, "") };
  try {
    const access = await tool.access(checked.input, context);
    return { ok: true, call: { tool: tool.name, input: checked.input, access } };
  } catch (error) {
    if (error instanceof ToolError) return { ok: false, message: error.message };
    throw error;
  }
}

/** Tools that only some sessions offer, or that are not implemented yet. Rules can name them anyway. */
const UNAVAILABLE_TOOLS: Readonly<Record<string, (text: (field: string) => string, cwd: string) => Access>> = {
  PowerShell: (text, cwd) => ({ kind: "command", command: text("command"), cwd, language: "powershell" }),
  PushNotification: () => ({ kind: "none" }),
  RemoteTrigger: () => ({ kind: "external" }),
  ReportFindings: () => ({ kind: "none" }),
  ShareOnboardingGuide: (text, cwd) => ({ kind: "edit", path: resolve(cwd, text("output") || "onboarding-guide.zip") }),
  WebFetch: (text) => ({ kind: "url", url: text("url") }),
  WebSearch: () => ({ kind: "external" }),
  Agent: (text) => ({ kind: "agent", agent: text("subagent_type") }),
  Task: (text) => ({ kind: "agent", agent: text("subagent_type") }),
  Skill: (text) => ({ kind: "skill", skill: text("skill"), adds: false }),
  AskUserQuestion: () => ({ kind: "person" }),
  EnterPlanMode: () => ({ kind: "none" }),
  EnterWorktree: () => ({ kind: "none", makes: "worktree" }),
  ExitWorktree: () => ({ kind: "none" }),
  ExitPlanMode: () => ({ kind: "person" }),
};

function accessOfUnavailable(name: string, input: JsonObject, cwd: string): Access | undefined {
  if (name.startsWith("mcp__")) return { kind: "external" };
  const text = (field: string) => (typeof input[field] === "string" ? input[field] : "");
  return Object.hasOwn(UNAVAILABLE_TOOLS, name) ? UNAVAILABLE_TOOLS[name]!(text, cwd) : undefined;
}

function contextOf(snapshot: Snapshot): ToolContext {
  const { cwd, directories, env, childEnv } = snapshot;
  return {
    toolUseId: "explain",
    signal: new AbortController().signal,
    workspace: createWorkspace(cwd, directories),
    files: createFiles(),
    search: createSearch({ env: childEnv, cacheDir: programCache(snapshot) }),
    shell: { run: refuseToRun, background: refuseToRun },
    seen: createLedger(),
    mayRead: () => true,
    env,
  };
}

const NO_TASKS = {
  get: () => undefined,
  stop: async () => false,
  wait: async () => undefined,
  output: () => ({ text: "", size: 0 }),
};

async function refuseToRun(): Promise<never> {
  throw new Error("Cannot run a command while explaining a call");
}

export type {
  CommandExplanation,
  Explanation,
  PartExplanation,
  PathExplanation,
  RedirectionExplanation,
  Remedy,
  RuleNote,
  Verdict,
} from "@keelson/engine/explain";
export type { Rule } from "@keelson/engine";
