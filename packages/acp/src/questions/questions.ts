// Questions of the session, as an editor is asked them. Pure; asking, waiting and withdrawing are the caller's.

import { readAsk } from "@keelson/client/permission-ask";
import type { UncheckedRequest } from "@keelson/protocol";
import { choicesQuestion } from "./choices.ts";
import { serverQuestion } from "./elicitation.ts";
import { permissionQuestion } from "./permission.ts";
import { planQuestion } from "./plan.ts";
import type { QuestionStep, QuestionContext } from "./question.ts";

/** Undefined for a request that editors are not asked about: it is to be refused. */
export function questionFor(request: UncheckedRequest, context: QuestionContext): QuestionStep | undefined {
  switch (request.subtype) {
    case "can_use_tool": {
      const asked = readAsk(request);
      if (asked.tool === "ExitPlanMode") return planQuestion(asked, context);
      return (
        (asked.tool === "AskUserQuestion" && choicesQuestion(asked, context)) || permissionQuestion(asked, context)
      );
    }
    case "elicitation":
      return serverQuestion(request, context);
    default:
      return undefined;
  }
}
