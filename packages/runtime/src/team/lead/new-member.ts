// A new member of a team: its name, its row in the team's file, and how it is started.

import { ToolError, type Rule } from "@keelson/engine";
import { agentMode } from "@keelson/engine/agents";
import type { AgentDefinition, HookRegistration, PermissionMode } from "@keelson/protocol";
import { TEAM_LEAD, type TeamMember } from "@keelson/store/team";
import type { RuleBook } from "../../gate/rule-book.ts";
import { rulesAt } from "../../gate/rule-reach.ts";
import type { Storage } from "../../session/storage.ts";
import type { Backend } from "./backends/backend.ts";
import { clientHooks } from "./client-hooks.ts";
import type { TeammateChoice } from "./command-line.ts";

export interface TeammateOrder {
  readonly name: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly model?: string;
  /** What the model asks for. */
  readonly mode?: PermissionMode;
  /** What the agent's definition asks for. */
  readonly own?: { readonly mode: AgentDefinition["permissionMode"]; readonly mayWiden: boolean };
  readonly planModeRequired?: boolean;
}

/** The mode of a member of a lead that is in this mode. */
export function memberMode(lead: PermissionMode, { mode, own }: Pick<TeammateOrder, "mode" | "own">): PermissionMode {
  const ordered = agentMode(lead, mode, { mayWiden: false });
  return own === undefined ? ordered : agentMode(ordered, own.mode, own);
}

const COLORS = ["blue", "green", "yellow", "purple", "orange", "pink", "cyan", "red"];
const MOST_AT_ONCE = 64;
const LONGEST_NAME = 60;
/** What a teammate may spend at least; less is not a budget that can be passed on. */
const LEAST_USD = 0.01;

/** A name that no member has that is still there. Throws ToolError if there are too many, or the name cannot be used. */
export function newName(wanted: string, taken: ReadonlySet<string>): string {
  const base = wanted
    .trim()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")
    .slice(0, LONGEST_NAME);
  if (!/[\p{L}\p{N}]/u.test(base)) {
    throw new ToolError(`"${wanted}" cannot be the name of a teammate; use letters and digits`);
  }
  if (taken.size >= MOST_AT_ONCE) throw new ToolError(`The team already has ${taken.size} members; end one first`);
  // Their mailboxes are files, and some file systems ignore case.
  const fold = (name: string) => name.normalize("NFKC").toLowerCase();
  const folded = new Set([...taken].map(fold));
  for (let number = 2, name = base; ; name = `${base}-${number++}`)
    if (fold(name) !== TEAM_LEAD && !folded.has(fold(name))) return name;
}

export interface NewMemberParts {
  readonly storage: Storage;
  readonly ruleBook: RuleBook;
  readonly backend: Backend;
  registered(): readonly HookRegistration[];
}

export interface NewMember {
  readonly member: TeamMember;
  readonly choice: TeammateChoice;
}

/** `number` counts the members that joined before. */
export function newMember(
  order: TeammateOrder,
  place: { readonly name: string; readonly team: string; readonly number: number },
  { storage, ruleBook, backend, registered }: NewMemberParts,
): NewMember {
  const { name, team, number } = place;
  const { agentType, model } = order;
  const agentId = `${name}@${team}`;
  const color = COLORS[number % COLORS.length]!;
  const planModeRequired = order.planModeRequired === true || order.mode === "plan";
  const sessionId = storage.newId();
  const { flags, cwd } = storage.state.snapshot;
  const { maxBudgetUsd, projectConfigRoot } = flags;
  const { root } = storage.folders.workspace;
  return {
    member: {
      agentId,
      name,
      agentType,
      ...(model === undefined ? {} : { model }),
      color,
      planModeRequired,
      joinedAt: storage.now(),
      cwd: root,
      sessionId,
      backend: backend.kind,
      isActive: true,
    },
    choice: {
      identity: {
        agentId,
        name,
        team,
        color,
        leadSessionId: storage.place.id,
        planModeRequired,
        ...clientHooks(registered()),
      },
      sessionId,
      agentType,
      model,
      mode: memberMode(ruleBook.mode, order),
      rules: ruleBook.rules,
      elsewhere: rulesElsewhere(ruleBook, root),
      configRoot: root === cwd ? projectConfigRoot : (projectConfigRoot ?? cwd),
      budgetUsd:
        maxBudgetUsd === undefined ? undefined : Math.max(LEAST_USD, maxBudgetUsd - (storage.cost.totalUsd ?? 0)),
    },
  };
}

/** What is denied or asked about outside the folder where the member works, and no file says. */
function rulesElsewhere({ rules, written, reach }: RuleBook, root: string): readonly Rule[] {
  const copied = rules.filter((rule) => rule.behavior !== "allow" && !written.includes(rule));
  return [...copied, ...reach.filter((folder) => folder !== root).flatMap((folder) => rulesAt(folder, written))];
}
