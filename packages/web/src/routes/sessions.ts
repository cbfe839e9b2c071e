// The list of sessions, and what can be done with one outside its stream.

import { isPermissionMode, type PermissionMode } from "@keelson/protocol";
import { namesTag } from "../door/etags.ts";
import { HttpRefusal } from "../door/refusal.ts";
import type { WebHost, WebSession } from "../host.ts";
import { openedFor } from "./opened.ts";
import { LISTED_SESSION, MOST_AT_ONCE, sessionPageOf, shownSession } from "./session-page.ts";
import { TEXT_OR_NULL, type FieldSchema, type Route, type RouteReply, type SignedInRequest } from "./route.ts";

const STARTED: FieldSchema = { type: "object", properties: { id: { type: "string" }, cwd: { type: "string" } } };
const MODES = ["default", "acceptEdits", "plan", "auto", "dontAsk"] as const;
const LONGEST_PATH = 4_096;

export function sessionRoutes(host: WebHost): readonly Route[] {
  const started = new StartedOnce();
  return [
    {
      method: "GET",
      path: "/v1/sessions",
      access: "viewer",
      summary: "The sessions, newest first",
      isCostly: ({ q }) => q !== undefined,
      query: {
        q: { maxLength: 200, description: "Words in its conversation, title or folder." },
        state: { maxLength: 20, description: "Only those in this state." },
        cwd: { maxLength: LONGEST_PATH, description: "Only those of this folder." },
        archived: { maxLength: 5, description: "`true`: those that were put away, instead of the others." },
        limit: { maxLength: 3, description: `How many to return, ${MOST_AT_ONCE} at most.` },
        cursor: { maxLength: 80, description: "`next_cursor` of the page before." },
      },
      reply: {
        type: "object",
        properties: {
          data: { type: "array", items: LISTED_SESSION },
          next_cursor: TEXT_OR_NULL,
          incomplete: { type: "boolean", description: "There was no time to search all conversations for `q`." },
        },
      },
      async run({ query, headers, signal }) {
        const { archived = "false" } = query;
        if (archived !== "true" && archived !== "false")
          throw new HttpRefusal("invalid_request", `"archived" must be true or false`);
        const all = (await host.list()).filter(({ isArchived }) => isArchived === (archived === "true"));
        const { sessions, isWhole } = await matching(all, query, { host, signal });
        const { page, next } = sessionPageOf(sessions, query);
        const more = { next_cursor: next, ...(isWhole ? {} : { incomplete: true }) };
        const text = JSON.stringify({ data: page.map(shownSession), ...more });
        const tag = `"${Bun.hash(text).toString(36)}"`;
        if (namesTag(headers.get("if-none-match"), tag)) return { status: 304, headers: { ETag: tag } };
        const reply: RouteReply = { text, headers: { ETag: tag, "Content-Type": "application/json; charset=utf-8" } };
        return reply;
      },
    },
    {
      method: "POST",
      path: "/v1/sessions",
      access: "driver",
      summary: "Start a session in a folder",
      body: {
        type: "object",
        properties: {
          cwd: { type: "string", maxLength: LONGEST_PATH, description: "Default: where the server was started." },
          worktree: { type: "boolean", description: "Work in a new worktree of that folder." },
          mode: { type: "string", enum: MODES },
          model: { type: "string", maxLength: 200 },
        },
      },
      reply: STARTED,
      status: 201,
      errors: [409],
      run: (request) =>
        started.once(request, async () => {
          const { body } = request;
          const cwd = String(body["cwd"] ?? host.cwd);
          if (!cwd.startsWith("/") || !host.isFolder(cwd))
            throw new HttpRefusal("invalid_request", `"${cwd}" is not a folder; give the whole path of one`);
          const { mode, model } = body;
          const opened = await openedFor(host, {
            cwd,
            ...(body["worktree"] === true ? { worktree: true } : {}),
            ...(isOffered(mode) ? { mode } : {}),
            ...(typeof model === "string" && model !== "" ? { model } : {}),
          });
          opened.release();
          return { json: { id: opened.session.id, cwd: opened.cwd } };
        }),
    },
    {
      method: "POST",
      path: "/v1/sessions/{id}/fork",
      access: "driver",
      summary: "Continue a copy of a session",
      body: { type: "object" },
      reply: STARTED,
      status: 201,
      errors: [404, 409],
      run: (request) =>
        started.once(request, async () => {
          const { id, cwd = host.cwd } = await known(host, request.params["id"]!);
          const opened = await openedFor(host, { cwd, resume: id, fork: true });
          opened.release();
          return { json: { id: opened.session.id, cwd: opened.cwd } };
        }),
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}",
      access: "viewer",
      summary: "One session",
      reply: LISTED_SESSION,
      errors: [404],
      async run({ params }) {
        const found = await known(host, params["id"]!);
        return { json: shownSession(found), headers: { ETag: tagOf(found) } };
      },
    },
    {
      method: "PATCH",
      path: "/v1/sessions/{id}",
      access: "driver",
      summary: "Rename a session, put it away, or take it back",
      body: {
        type: "object",
        properties: { title: { type: "string", maxLength: 200 }, archived: { type: "boolean" } },
      },
      reply: { type: "null" },
      status: 204,
      errors: [404, 412],
      async run({ params, body, headers }) {
        const { title, archived } = body;
        const name = typeof title === "string" ? title.trim() : undefined;
        if (name === "") throw new HttpRefusal("invalid_request", `"title" must not be empty`);
        if (name === undefined && archived === undefined)
          throw new HttpRefusal("invalid_request", `The body needs "title" or "archived"`);
        const { id } = await unchanged(host, params["id"]!, headers);
        if (name !== undefined && !(await host.rename(id, name))) throw unknownSession();
        if (archived !== undefined) await host.archive(id, archived === true);
        return {};
      },
    },
    {
      method: "DELETE",
      path: "/v1/sessions/{id}",
      access: "driver",
      summary: "Delete the transcript of a session that is not open",
      reply: { type: "null" },
      status: 204,
      errors: [404, 409, 412],
      async run({ params, headers }) {
        await unchanged(host, params["id"]!, headers);
        try {
          await host.remove(params["id"]!);
        } catch (error) {
          throw new HttpRefusal("conflict", error instanceof Error ? error.message : String(error));
        }
        return {};
      },
    },
  ];
}

/** Rejects if there is none, before it would be opened. */
export async function known(host: WebHost, id: string): Promise<WebSession> {
  const found = await host.find(id);
  if (found === undefined) throw unknownSession();
  return found;
}

/** For a change of what the client has seen: with an If-Match header, it still has to be that. */
async function unchanged(host: WebHost, id: string, headers: Headers): Promise<WebSession> {
  const found = await known(host, id);
  const wanted = headers.get("if-match") ?? "*";
  if (wanted.trim() === "*" || namesTag(wanted, tagOf(found))) return found;
  throw new HttpRefusal("precondition_failed", "The session has changed since; read it again");
}

/** Changes with what is stored of it. */
const tagOf = ({ title, bytes, modifiedMs, isArchived }: WebSession) =>
  `"${Bun.hash(JSON.stringify([title, bytes, modifiedMs, isArchived])).toString(36)}"`;

const unknownSession = () => new HttpRefusal("not_found", "There is no such session");

const isOffered = (mode: unknown): mode is PermissionMode =>
  typeof mode === "string" && isPermissionMode(mode) && MODES.some((each) => each === mode);

async function matching(
  all: readonly WebSession[],
  { q = "", state, cwd }: Readonly<Record<string, string>>,
  { host, signal }: { readonly host: WebHost; readonly signal: AbortSignal },
): Promise<{ readonly sessions: readonly WebSession[]; readonly isWhole: boolean }> {
  const chosen = all.filter(
    (session) => (state === undefined || session.state === state) && (cwd === undefined || session.cwd === cwd),
  );
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { sessions: chosen, isWhole: true };
  const ids = chosen.map(({ id }) => id);
  const found = await host.search(words.join(" "), ids, AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS)]));
  const isNamed = ({ title, cwd: folder = "", branch = "" }: WebSession) =>
    words.every((word) => `${title} ${folder} ${branch}`.toLowerCase().includes(word));
  const sessions = chosen.filter((session) => found.ids.has(session.id) || isNamed(session));
  return { sessions, isWhole: found.isWhole };
}

/** What takes longer is left out. */
const SEARCH_MS = 4_000;

/** A client that does not know whether its request arrived sends it again with the same key. */
class StartedOnce {
  readonly #known = new Map<string, { readonly at: number; readonly reply: Promise<{ readonly json: unknown }> }>();

  once(
    { headers, device, now }: SignedInRequest,
    run: () => Promise<{ readonly json: unknown }>,
  ): Promise<{ readonly json: unknown }> {
    const key = `${device.id} ${headers.get("idempotency-key") ?? crypto.randomUUID()}`;
    for (const [old, { at }] of this.#known) if (now - at > KEPT_MS) this.#known.delete(old);
    const known = this.#known.get(key);
    if (known) return known.reply;
    const reply = run();
    this.#known.set(key, { at: now, reply });
    // What failed may be tried again.
    reply.catch(() => this.#known.delete(key));
    return reply;
  }
}

const KEPT_MS = 10 * 60_000;
