// Writes the user's choices about the servers of `.mcp.json` files to the global config file.

import { existsSync } from "node:fs";
import type { JsonObject } from "@keelson/protocol";
import { valueAt } from "../../check/known.ts";
import { globalFileOf, MAX_BYTES } from "../../trust/trust.ts";
import { changeList } from "../../write/change-list.ts";
import { isEditable, removeKey, setAt } from "../../write/edit.ts";
import { NOT_EDITABLE, updateSettingsFile, type Change } from "../../write/settings-file.ts";
import { CHOICES, digestOf } from "./approval.ts";
import type { Edited, EditPlace } from "../edit-servers.ts";

/** Approves a server as it is now; if the entry changes, the approval no longer applies. */
export function approveServer(
  { name, written }: { readonly name: string; readonly written: JsonObject },
  place: EditPlace,
): Promise<Edited> {
  const project = ["projects", place.cwd];
  const same = (item: unknown, wanted: string) => item === wanted;
  return change(place, (text) => {
    const enabled = changeList(text, [...project, CHOICES.enabled], same, { add: [name] });
    if ("problem" in enabled) return enabled;
    const allowed = changeList(enabled.text, [...project, CHOICES.disabled], same, { remove: [name] });
    if ("problem" in allowed) return allowed;
    return { text: setAt(allowed.text, [...project, CHOICES.approvedAs, name], digestOf(written)) };
  });
}

/** Forgets every approval and rejection in this folder. */
export async function resetChoices(place: EditPlace): Promise<Edited> {
  const file = globalFileOf(place);
  if (!existsSync(file)) return { ok: true, file };
  const project = ["projects", place.cwd];
  return change(place, (text, settings) => {
    const entry = valueAt(settings, project);
    const keys = Object.values(CHOICES).filter((key) => valueAt(entry, [key]) !== undefined);
    return { text: keys.reduce((left, key) => removeKey(left, project, key), text) };
  });
}

async function change(place: EditPlace, how: Change): Promise<Edited> {
  const file = globalFileOf(place);
  const result = await updateSettingsFile({ file, private: true, maxBytes: MAX_BYTES }, (text, settings) =>
    isEditable(text) ? how(text, settings) : NOT_EDITABLE,
  );
  return result.kind === "refused" ? { ok: false, problem: result.problem } : { ok: true, file };
}
