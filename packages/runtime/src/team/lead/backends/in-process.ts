// Members as sessions of this process. They share nothing with the lead but the process: each has its own conversation,
// rules and machine.

import { load, type Flags } from "@keelson/config";
import type { EndReason, Inbound, Session, SessionClient } from "@keelson/protocol";
import type { SessionsHere } from "../../../directory/sessions-here.ts";
import type { WantedSession } from "../../../directory/wanted-session.ts";
import type { OpenOptions } from "../../../session/open-options.ts";
import type { Backend, MemberStart } from "./backend.ts";
import { sessionRules, type TeammateChoice } from "../command-line.ts";

export interface InProcessOptions {
  /** How the lead was opened. */
  readonly lead: OpenOptions;
  snapshot(): OpenOptions["snapshot"];
  readonly directory: SessionsHere;
}

export function inProcess({ lead, snapshot, directory }: InProcessOptions): Backend {
  const sessions = new Set<Session>();
  const close = (session: Session, reason: EndReason) => session.close(reason).catch(() => undefined);
  return {
    kind: "in-process",
    async start(member, hear) {
      const session = await directory.open(wantedBy(member, lead, snapshot()));
      sessions.add(session);
      const client = session.attach({ name: "lead", view: { toolMeta: true } });
      const exited = ended(client, hear).finally(() => sessions.delete(session));
      return { pid: process.pid, exited, send: (message) => client.send(message as Inbound) };
    },
    async close() {
      await Promise.all([...sessions].map((session) => close(session, "terminate")));
    },
  };
}

async function ended({ messages }: SessionClient, hear: (message: object) => void): Promise<string> {
  try {
    for await (const message of messages) {
      hear(message);
    }
    return "Its session ended";
  } catch (error) {
    return `Its session failed: ${(error as Error).message}`;
  }
}

function wantedBy(
  { choice, cwd }: MemberStart,
  { session, entrypoint, debug, warn }: OpenOptions,
  { origin, home }: OpenOptions["snapshot"],
): WantedSession {
  const { identity } = choice;
  return {
    front: "teammate",
    snapshot: load({ ...origin, home, cwd, flags: memberFlags(origin.flags, choice) }),
    entrypoint,
    session: { kind: "new", sessionId: choice.sessionId, persist: session.persist },
    teammate: identity,
    ...(debug ? { debug } : {}),
    warn: (text) => warn(`${identity.name}: ${text}`),
  };
}

/** As the flags of a process would be. */
function memberFlags(
  { skipPermissions, jsonSchema: _, permissionPromptTool: __, agent: ___, mcpServers, ...flags }: Flags,
  { identity, mode, model, rules, elsewhere, configRoot, agentType, budgetUsd }: TeammateChoice,
): Flags {
  const mayBypass = skipPermissions === true && mode === "bypassPermissions" && !identity.planModeRequired;
  const own = Object.entries(mcpServers ?? {}).filter(
    ([, entry]) => (entry as { type?: string } | null)?.type !== "sdk",
  );
  const { allow, deny } = sessionRules({ rules, elsewhere, configRoot });
  return {
    ...flags,
    ...(configRoot === undefined ? {} : { projectConfigRoot: configRoot }),
    ...(model === undefined ? {} : { model }),
    ...(agentType === "general-purpose" ? {} : { agent: agentType }),
    ...(budgetUsd === undefined ? {} : { maxBudgetUsd: budgetUsd }),
    ...(own.length === 0 ? {} : { mcpServers: Object.fromEntries(own) }),
    ...(mayBypass ? { skipPermissions } : { permissionMode: identity.planModeRequired ? ("plan" as const) : mode }),
    allowedTools: allow,
    disallowedTools: deny,
  };
}
