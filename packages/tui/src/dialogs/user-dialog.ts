// A dialog of a kind this terminal does not know. It shows what is asked and can only be closed.

import { isObject, type Unchecked } from "@keelson/protocol";
import type { Panel } from "../screen/view.ts";
import { answering, ChoicePanel } from "../widgets/choice-panel.ts";
import { quoted } from "../widgets/heading.ts";
import { reply, type DialogAnswer, type DialogContext } from "./dialog-context.ts";
import { readable } from "./permission/describe.ts";
import { showAll, showRow } from "./visible.ts";

export function userDialog(
  request: Unchecked<"request_user_dialog">,
  { keys, plain }: DialogContext,
): Panel<DialogAnswer> {
  const { dialog_kind: kind, payload } = request;
  const panel = new ChoicePanel({
    keys,
    heading: { title: showRow(String(kind ?? "Question")), plain },
    body: (columns, theme) => quoted(showAll(readable(isObject(payload) ? payload : {}, [])), columns, theme),
    choices: [{ value: "close", label: "Close", takesTyping: true }],
    hints: [{ action: "confirm:no", does: "close" }],
  });
  return answering(panel, () => reply({ behavior: "cancelled" }));
}
