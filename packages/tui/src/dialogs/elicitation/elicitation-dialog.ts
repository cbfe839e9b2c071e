// A question of an MCP server: a form, or an address to visit. An address is opened only if the user says so.

import type { Unchecked } from "@keelson/protocol";
import type { Panel } from "../../screen/view.ts";
import { answering, ChoicePanel } from "../../widgets/choice-panel.ts";
import { quoted } from "../../widgets/heading.ts";
import { reply, type DialogAnswer, type DialogContext } from "../dialog-context.ts";
import { showAll, showRow } from "../visible.ts";
import { formFields } from "@keelson/client/form";
import { FormPanel } from "./form-panel.ts";

export function elicitationDialog(request: Unchecked<"elicitation">, context: DialogContext): Panel<DialogAnswer> {
  const text = (name: keyof typeof request) => (typeof request[name] === "string" ? request[name] : "");
  const { keys, plain } = context;
  const heading = { title: `MCP server "${showRow(text("mcp_server_name"))}" asks`, plain };
  const message = showAll(text("message"));
  if (text("mode") === "url") return urlDialog(text("url"), message, heading, context);
  const fields = formFields(request.requested_schema, request.property_order);
  const panel = new FormPanel(fields, {
    heading,
    message: (columns, theme) => quoted(message, columns, theme),
    keys,
    wasTyping: context.isTyping,
  });
  return answering(panel, (result): DialogAnswer => reply(result));
}

function urlDialog(
  url: string,
  message: string,
  heading: { readonly title: string },
  { keys, isTyping }: DialogContext,
): Panel<DialogAnswer> {
  const host = URL.parse(url)?.host ?? "";
  // The host as it is, not as it may look: an international name is shown in its ASCII form.
  const question = host === "" ? "Visit this address?" : `Visit ${showRow(host)}?`;
  const panel = new ChoicePanel<"open" | "accept" | "decline">({
    keys,
    heading,
    body: (columns, theme) => [
      ...(message === "" ? [] : quoted(message, columns, theme)),
      ...quoted(showRow(url), columns, theme, "link"),
    ],
    question,
    wasTyping: isTyping,
    choices: [
      { value: "open", label: "Open it in the browser" },
      { value: "accept", label: "I'll open it myself", description: "Continue without opening anything here" },
      { value: "decline", label: "Decline", takesTyping: true },
    ],
    hints: [
      { action: "confirm:yes", does: "choose" },
      { action: "confirm:no", does: "cancel" },
    ],
  });
  return answering(panel, (result): DialogAnswer => {
    if (result.kind !== "chosen") return reply({ action: "cancel" });
    if (result.value === "decline") return reply({ action: "decline" });
    return reply({ action: "accept" }, ...(result.value === "open" ? [{ kind: "open-url", url } as const] : []));
  });
}
