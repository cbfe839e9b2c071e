// The dialog for a request of the session to its client.

import { readAsk } from "@keelson/client/permission-ask";
import type { ControlRequest } from "@keelson/protocol";
import type { Panel } from "../screen/view.ts";
import type { Dialog, DialogAnswer, DialogContext } from "./dialog-context.ts";
import { elicitationDialog } from "./elicitation/elicitation-dialog.ts";
import { guarded } from "./guard.ts";
import { permissionDialog } from "./permission/permission-dialog.ts";
import { planDialog } from "./plan-dialog.ts";
import { questionDialog } from "./question/question-dialog.ts";
import { userDialog } from "./user-dialog.ts";

/** Undefined for a request that people are not asked about. */
export function openDialog({ request }: ControlRequest, context: DialogContext): Dialog | undefined {
  const panel = panelFor(request, context);
  return panel && guarded(panel, context);
}

function panelFor(request: ControlRequest["request"], context: DialogContext): Panel<DialogAnswer> | undefined {
  switch (request.subtype) {
    case "elicitation":
      return elicitationDialog(request, context);
    case "request_user_dialog":
      return userDialog(request, context);
    case "can_use_tool": {
      const ask = readAsk(request);
      if (ask.tool === "ExitPlanMode") return planDialog(ask, context);
      return (ask.tool === "AskUserQuestion" && questionDialog(ask, context)) || permissionDialog(ask, context);
    }
    default:
      return undefined;
  }
}
