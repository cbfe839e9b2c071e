// The sessions on this machine, for clients that let the user choose one: list, search, preview, rename.

import { titleText } from "@keelson/store";
import { done, failed, numberIn, textIn, type ControlHandler } from "../reply.ts";

/** The reply is one line, and some clients accept no line above a megabyte. */
const DEFAULT_LISTED = 1_000;
const MOST_LISTED = 10_000;

export const listSessionsControl: ControlHandler<"list_sessions"> = async (request, targets) => {
  const limit = Math.min(numberIn(request, "limit") ?? DEFAULT_LISTED, MOST_LISTED);
  const offset = numberIn(request, "offset") ?? 0;
  const stored = await targets.storedSessions();
  const { cwd } = targets.snapshot();
  const wanted = { cwd, allProjects: request.all_projects === true, asked: targets.sessionId };
  const all = await (targets.directory?.list(stored, wanted) ?? stored.rows(wanted));
  return done({ sessions: await stored.counted(all.slice(offset, offset + limit)), total: all.length });
};

export const searchSessionsControl: ControlHandler<"search_sessions"> = async (request, targets, { signal }) => {
  const query = textIn(request, "query");
  const { session_ids: among } = request;
  if (among !== undefined && !isTexts(among)) return failed('search_sessions: "session_ids" must be a list of strings');
  const stored = await targets.storedSessions();
  return done({ session_ids: await stored.search(query, among, signal) });
};

export const previewSessionControl: ControlHandler<"preview_session"> = async (request, targets) => {
  const id = textIn(request, "session_id");
  const markdown = await (await targets.storedSessions()).preview(id);
  return markdown === undefined ? failed(`preview_session: there is no session ${id}`) : done({ markdown });
};

/** A session that is open, here or in another process, writes the name itself. */
export const renameSessionControl: ControlHandler<"rename_session"> = async (request, targets) => {
  const title = titleText(textIn(request, "title"));
  const { session_id: other } = request;
  if (title === "") return failed("rename_session: title must be non-empty");
  if (typeof other !== "string" || other === "" || other === targets.sessionId) {
    targets.rename(title);
    return done();
  }
  const open = targets.directory?.find(other);
  if (open) {
    await open.request("rename_session", { title });
    return done();
  }
  const stored = await targets.storedSessions();
  const isRenamed = await stored.rename(other, title);
  return isRenamed ? done() : failed(`rename_session: there is no session ${other}`);
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");
