// How a call is named in the terminal: the tool, and what the call is about.

import { isAgentCall, listArguments, type CallLabel, type NamedCall } from "@keelson/client";
import { clean, cleanRow } from "../../screen/clean.ts";

interface CallTitle {
  readonly name: string;
  /** Cleaned; may have several lines. "" if there is nothing to say. */
  readonly about: string;
  /** What the model says that it does. */
  readonly note?: string;
}

interface LabelledCall extends NamedCall {
  readonly label: CallLabel;
}

/** `whole`: nothing is shortened, and line breaks stay. */
export function titleOf({ name: tool, input, label }: LabelledCall, { whole = false } = {}): CallTitle {
  const { name, server, title, note = "" } = label;
  const about = (whole ? clean : cleanRow)(title ?? listArguments(input, { whole }));
  if (server !== undefined) return { name: cleanRow(`${server}: ${name}`), about, note: "MCP" };
  // Of other programs, the name says only that there is an agent.
  const type = isAgentCall(tool) && typeof input["subagent_type"] === "string" ? input["subagent_type"] : "";
  const said = cleanRow(note);
  return { name: cleanRow(type || name), about, ...(said === "" ? {} : { note: said }) };
}
