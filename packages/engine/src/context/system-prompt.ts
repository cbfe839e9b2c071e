// The system prompt: who the agent is, how it works, and where. Pure; other code gathers the facts. Stable parts come
// first and nothing changes within a session, so the provider's cache stays valid.

import { withoutReminderTags } from "@keelson/protocol";
import { ANSWERS, IDENTITY, surroundings, toolRules, workingRules } from "./sections/rules.ts";
import {
  memoryPrompt,
  renderEnvironment,
  renderGitState,
  type EnvironmentFacts,
  type GitState,
} from "./sections/situation.ts";

export interface PromptFacts extends EnvironmentFacts {
  /** What the agent says that the session runs as. It replaces our own working rules, whatever else does. */
  readonly agent?: string;
  /** Replaces our own working rules. */
  readonly replacement?: string;
  readonly appended?: string;
  /** Only the environment. */
  readonly bare?: boolean;
  readonly toolNames: readonly string[];
  /** Somebody reads along. */
  readonly isWatched?: boolean;
  /** The folder for notes that outlast the session; absent when there is none. */
  readonly memory?: string;
  /** Absent for the default style. */
  readonly style?: PromptStyle;
  /** Absent if it is not known, or is not to be shown. */
  readonly git?: GitState;
  /** Leaves out the sections that depend on where the session works; see `renderDynamicSections`. */
  readonly excludeDynamic?: boolean;
}

/** An output style: how the agent works and answers. */
export interface PromptStyle {
  readonly name: string;
  readonly text: string;
  /** Keep our own rules for work on code. */
  readonly keepsCoding: boolean;
}

export interface PromptSection {
  readonly name: string;
  /** The most characters it may have. */
  readonly most: number;
  /** Depends on where the session works. */
  readonly isDynamic?: true;
  /** Also in a bare prompt. */
  readonly inBare?: true;
  render(facts: PromptFacts): string | undefined;
}

/** Left out if the session runs as an agent, which says itself how it works. */
function own(render: PromptSection["render"]): PromptSection["render"] {
  return (facts) => (facts.agent === undefined ? render(facts) : undefined);
}

/** In the order in which they are sent. */
export const SECTIONS: readonly PromptSection[] = [
  { name: "agent", most: 400_000, inBare: true, render: ({ agent }) => agent },
  { name: "working", most: 2_000, render: own(working) },
  { name: "around", most: 1_000, render: own(({ isWatched = false }) => surroundings({ isWatched })) },
  { name: "tools", most: 1_500, render: own(toolRules) },
  // A style says itself how to answer.
  { name: "answers", most: 500, render: own(({ style }) => (style ? undefined : ANSWERS)) },
  { name: "style", most: 50_000, render: own(({ style }) => style && renderStyle(style)) },
  { name: "memory", most: 6_000, isDynamic: true, render: ({ memory }) => memory && memoryPrompt(memory) },
  { name: "environment", most: 10_000, isDynamic: true, inBare: true, render: renderEnvironment },
  { name: "git", most: 6_000, isDynamic: true, inBare: true, render: ({ git }) => git && renderGitState(git) },
];

function working({ style, toolNames }: PromptFacts): string {
  return workingRules({ coding: style?.keepsCoding ?? true, canAsk: toolNames.includes("AskUserQuestion") });
}

/** Two blocks, each with its own cache mark: the identity sentence, and everything else. */
export function renderSystemPrompt(facts: PromptFacts): string[] {
  const replacement = facts.agent === undefined ? facts.replacement : undefined;
  const main = replacement ?? render(facts, ({ isDynamic }) => !(isDynamic && facts.excludeDynamic));
  const rest = [main, facts.appended].filter((part) => part !== undefined && part !== "").join("\n\n");
  return rest === "" ? [IDENTITY] : [IDENTITY, rest];
}

/** The sections that `excludeDynamic` leaves out, for the first user message. */
export function renderDynamicSections(facts: PromptFacts): string {
  return facts.replacement === undefined || facts.agent !== undefined
    ? render(facts, ({ isDynamic }) => isDynamic === true)
    : "";
}

function render(facts: PromptFacts, isWanted: (section: PromptSection) => boolean): string {
  const texts = SECTIONS.filter((section) => isWanted(section) && (!facts.bare || section.inBare))
    .map((section) => bounded(section.render(facts) ?? "", section.most))
    .filter((text) => text !== "");
  // Styles, agents, folders and branches have names and texts of others.
  return withoutReminderTags(texts.join("\n\n"));
}

function renderStyle({ name, text }: PromptStyle): string {
  return [
    `# Output style: ${name}`,
    "The user chose this style. It decides how you work and answer. It does not change the rules about tool output, secrets and permissions.",
    "",
    text,
  ].join("\n");
}

function bounded(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 20).replace(/[\ud800-\udbff]$/, "")}\n(cut here)`;
}
