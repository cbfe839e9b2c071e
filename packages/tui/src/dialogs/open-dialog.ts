// The dialog for a request of the session to its client.

import { isObject, type ControlRequest } from "@keelson/protocol";
import type { Panel } from "../screen/view.ts";
import type { Dialog, DialogAnswer, DialogContext } from "./dialog-context.ts";
import { elicitationDialog } from "./elicitation/elicitation-dialog.ts";
import { guarded } from "./guard.ts";
import { readAsk } from "./permission/ask.ts";
import { permissionDialog } from "./permission/permission-dialog.ts";
import { planDialog } from "./plan-dialog.ts";
import { questionDialog } from "./question/question-dialog.ts";
import { userDialog } from "./user-dialog.ts";

/** Undefined for a request that people are not asked about. */
export function openDialog({ request }: ControlRequest, context: DialogContext): Dialog | undefined {
  const panel = panelFor(request, context);
  return panel && guarded(panel, context);
}

/** The file whose text the dialog shows changes of: read it first, and put it in the context. */
export function fileToRead({ request }: ControlRequest): string | undefined {
  if (request.subtype !== "can_use_tool") return undefined;
  const { tool_name: tool, input } = request;
  if (!isObject(input)) return undefined;
  if (tool !== "Edit" && tool !== "MultiEdit" && tool !== "Write") return undefined;
  return typeof input["file_path"] === "string" ? input["file_path"] : undefined;
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
