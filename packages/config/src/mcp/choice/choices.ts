// Writes the user's choices about the servers of `.mcp.json` files to the global config file, and removes all of them.

import { existsSync } from "node:fs";
import type { JsonObject } from "@keelson/protocol";
import { valueAt } from "../../check/known.ts";
import { globalFileOf, MAX_BYTES } from "../../trust/trust.ts";
import { changeList } from "../../write/change-list.ts";
import { isEditable, removeKey, setAt } from "../../write/edit.ts";
import { NOT_EDITABLE, updateSettingsFile, type Change } from "../../write/settings-file.ts";
import { standardFiles } from "../../scopes/scopes.ts";
import { writeTarget, type WritePlaces } from "../../write/write-rules.ts";
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

/** Forgets every approval and rejection in this folder, also those that were made at a terminal. */
export async function resetChoices(place: WritePlaces): Promise<Edited> {
  const local = standardFiles(place).find(({ name }) => name === "local")!;
  if (existsSync(local.file)) {
    const keys = [CHOICES.enabled, CHOICES.disabled, "enableAllProjectMcpServers"];
    const result = await updateSettingsFile(writeTarget(local, place), (text, settings) =>
      isEditable(text) ? { text: withoutKeys(text, settings, [], keys) } : NOT_EDITABLE,
    );
    if (result.kind === "refused") return { ok: false, problem: result.problem };
  }
  const file = globalFileOf(place);
  if (!existsSync(file)) return { ok: true, file };
  const project = ["projects", place.cwd];
  return change(place, (text, settings) => ({ text: withoutKeys(text, settings, project, Object.values(CHOICES)) }));
}

function withoutKeys(text: string, settings: unknown, path: readonly string[], keys: readonly string[]): string {
  const present = keys.filter((key) => valueAt(settings, [...path, key]) !== undefined);
  return present.reduce((left, key) => removeKey(left, path, key), text);
}

async function change(place: EditPlace, how: Change): Promise<Edited> {
  const file = globalFileOf(place);
  const result = await updateSettingsFile({ file, private: true, maxBytes: MAX_BYTES }, (text, settings) =>
    isEditable(text) ? how(text, settings) : NOT_EDITABLE,
  );
  return result.kind === "refused" ? { ok: false, problem: result.problem } : { ok: true, file };
}
