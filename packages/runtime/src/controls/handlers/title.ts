// The title of the session.

import { titleText } from "@keelson/store";
import { done, failed, textIn, type ControlHandler } from "../reply.ts";

export const renameSessionControl: ControlHandler<"rename_session"> = (request, targets) => {
  const title = titleText(textIn(request, "title"));
  const { session_id: other } = request;
  if (typeof other === "string" && other !== "" && other !== targets.sessionId) {
    return failed(`rename_session: this is session ${targets.sessionId}, not ${other}`);
  }
  if (title === "") return failed("rename_session: title must be non-empty");
  targets.rename(title);
  return done();
};
