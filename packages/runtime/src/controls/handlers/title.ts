// The session's name.

import { done, failed, textIn, type Handler } from "../reply.ts";

export const renameSessionControl: Handler = (request, targets) => {
  const title = textIn(request, "title").replace(/\s+/g, " ").trim();
  const { session_id: other } = request;
  if (typeof other === "string" && other !== "" && other !== targets.sessionId) {
    return failed(`rename_session: this is session ${targets.sessionId}, not ${other}`);
  }
  if (title === "") return failed("rename_session: title must be non-empty");
  targets.rename(title.slice(0, 1_000));
  return done();
};
