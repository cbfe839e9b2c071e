// The team of a session, if it leads one or is a member of one. Without CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS there is none,
// and nothing of it is loaded.

import { ToolError, type Tool } from "@keelson/engine";
import type { Programs } from "@keelson/host/programs";
import type { EndReason, HookEvent, HookOutcome, HookRegistration, JsonObject, NewEntry } from "@keelson/protocol";
import type { SendMessageOutput } from "@keelson/tools";
import type { AskPerson } from "../gate/ask.ts";
import type { RuleBook } from "../gate/rule-book.ts";
import type { Storage } from "../session/storage.ts";
import type { TeamOfSession } from "../task-list/shared-list.ts";
import { teamsAreOn } from "../task-list/which-list.ts";
import type { Lead, StartedMember } from "./lead/lead.ts";
import type { TeammateOrder } from "./lead/new-member.ts";
import type { Member } from "./member/member.ts";

export interface TeamStage {
  current(): TeamOfSession | undefined;
  /** TeamCreate and TeamDelete, if the session may lead a team. */
  tools(): Promise<readonly Tool[]>;
  /** For the Agent tool. Undefined if the session cannot have teammates. */
  readonly teammates: Teammates | undefined;
  /** For SendMessage. Undefined if no one in the team has this name. */
  send(
    to: string,
    message: string | Readonly<Record<string, unknown>>,
    summary?: string,
  ): Promise<SendMessageOutput | undefined>;
  /** The members that can be written to; empty without a team. */
  others(): readonly string[];
  /** The session waits for input. */
  idle(): void;
  /** Entries that were stored. */
  recorded(entries: readonly NewEntry[]): void;
  /** How to end the session; known once it is open. */
  useEnd(end: (reason: EndReason) => void): void;
  close(): Promise<void>;
}

export interface Teammates {
  /** Creates a team if the session has none. Throws ToolError if the teammate cannot be started. */
  spawn(order: TeammateOrder): Promise<StartedMember>;
}

export interface TeamParts {
  readonly storage: Storage;
  readonly ruleBook: RuleBook;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
  /** The hooks of the session. */
  registered(): readonly HookRegistration[];
  /** What runs outside the shield. */
  programs(): Programs;
  setClientHooks(client: string, hooks: readonly HookRegistration[]): void;
  /** Who answers permission questions of this session. */
  person(): Promise<AskPerson | undefined>;
}

export async function openTeamStage(parts: TeamParts): Promise<TeamStage> {
  const { storage } = parts;
  const { options, state } = storage;
  let lead: Lead | undefined;
  let member: Member | undefined;
  let end: (reason: EndReason) => void = () => {};
  if (options.teammate) {
    const { joinTeam } = await import("./member/join.ts");
    member = joinTeam(parts, options.teammate, (reason) => end(reason));
  }
  const mayLead = !options.teammate && teamsAreOn(state.snapshot.env);
  if (mayLead) lead = await (await import("./lead/begin.ts")).beginTeams(parts);
  const resumed = lead;
  let creating: Promise<Lead> | undefined;
  const create = async (name?: string, description?: string) => {
    const { createLead } = await import("./lead/create.ts");
    lead = await createLead(parts, { name, description });
    return lead;
  };
  const team = () => lead ?? member;
  return {
    current: () => team()?.team,
    async tools() {
      if (!mayLead) return [];
      const { teamTools } = await import("./lead/create.ts");
      return teamTools({
        lead: () => lead,
        resumed: () => (lead === resumed ? resumed : undefined),
        create: (name, description) => {
          if (lead || creating)
            throw new ToolError("This session already leads a team. Delete it first with TeamDelete.");
          creating = create(name, description).finally(() => (creating = undefined));
          return creating;
        },
        forget: () => (lead = undefined),
      });
    },
    teammates: mayLead
      ? {
          async spawn(order) {
            creating ??= lead ? undefined : create().finally(() => (creating = undefined));
            return (lead ?? (await creating!)).spawn(order);
          },
        }
      : undefined,
    send: async (...message) => team()?.send(...message),
    others: () => team()?.others() ?? [],
    idle: () => team()?.idle(),
    recorded: (entries) => team()?.recorded(entries),
    useEnd: (how) => void (end = how),
    async close() {
      member?.close();
      await creating?.catch(() => undefined);
      await lead?.close();
    },
  };
}
