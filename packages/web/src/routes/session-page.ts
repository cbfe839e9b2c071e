// Sessions as the wire has them, and pages of a list of them.

import { HttpRefusal } from "../door/refusal.ts";
import type { WebSession } from "../host.ts";
import type { FieldSchema } from "./route.ts";

export const LISTED_SESSION: FieldSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    title: { type: "string" },
    cwd: { type: "string" },
    branch: { type: "string" },
    worktree: { type: "string" },
    modified_ms: { type: "integer" },
    bytes: { type: "integer" },
    open: { type: "boolean", description: "Some program has it open." },
    archived: { type: "boolean", description: "It was put away." },
    state: { type: "string", enum: ["idle", "running", "requires_action", "elsewhere"] },
  },
};
export const MOST_AT_ONCE = 200;

export interface SessionPage {
  readonly page: readonly WebSession[];
  readonly next: string | null;
}

/** A cursor names the last session of its page, so that new ones shift nothing. */
export function sessionPageOf(
  all: readonly WebSession[],
  { limit = "", cursor }: { readonly limit?: string; readonly cursor?: string },
): SessionPage {
  const most = limit === "" ? MOST_AT_ONCE : Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > MOST_AT_ONCE)
    throw new HttpRefusal("invalid_request", `"limit" must be a number from 1 to ${MOST_AT_ONCE}`);
  const [time, id] = cursor?.split(" ") ?? [];
  if (cursor !== undefined && (id === undefined || !Number.isFinite(Number(time))))
    throw new HttpRefusal("invalid_request", `"cursor" must be a value that the server gave`);
  const isAfter = (session: WebSession) =>
    cursor === undefined ||
    session.modifiedMs < Number(time) ||
    (session.modifiedMs === Number(time) && session.id > id!);
  const rest = all.filter(isAfter);
  const page = rest.slice(0, most);
  const last = page.at(-1);
  return { page, next: last !== undefined && rest.length > most ? `${last.modifiedMs} ${last.id}` : null };
}

export const shownSession = ({
  id,
  title,
  cwd,
  branch,
  worktree,
  modifiedMs,
  bytes,
  isOpen,
  isArchived,
  state,
}: WebSession) => ({
  id,
  title,
  ...(cwd === undefined ? {} : { cwd }),
  ...(branch === undefined ? {} : { branch }),
  ...(worktree === undefined ? {} : { worktree }),
  modified_ms: modifiedMs,
  bytes,
  open: isOpen,
  archived: isArchived,
  state,
});
