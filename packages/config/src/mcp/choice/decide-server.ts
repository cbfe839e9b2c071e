// Writes what the user decided at a terminal about a server of `.mcp.json` to the project's local settings, where
// compatible programs look for it. An approval is for the entry that was shown.

import type { JsonObject } from "@keelson/protocol";
import { changeList, type ListChange } from "../../write/change-list.ts";
import { isEditable, setAt } from "../../write/edit.ts";
import { ignoreLocalSettings } from "../../write/git-ignore.ts";
import { NOT_EDITABLE, updateSettingsFile } from "../../write/settings-file.ts";
import { keptElsewhere, writeTarget, type WritePlaces } from "../../write/write-rules.ts";
import { standardFiles } from "../../scopes/scopes.ts";
import { CHOICES } from "./approval.ts";
import { approveServer } from "./choices.ts";

/** `use all`: this one, and all that come later in this project. */
export type ServerDecision = "use" | "use all" | "refuse";

/** Returns a sentence if it fails. */
export async function decideServer(
  server: { readonly name: string; readonly written: JsonObject },
  decision: ServerDecision,
  places: WritePlaces,
): Promise<string | undefined> {
  if (decision === "use") {
    const approved = await approveServer(server, places);
    if (!approved.ok) return approved.problem;
  }
  const local = standardFiles(places).find((file) => file.name === "local")!;
  const elsewhere = keptElsewhere(local, places);
  if (elsewhere !== undefined) return elsewhere;
  const result = await updateSettingsFile(writeTarget(local, places), (text) =>
    isEditable(text) ? decided(text, server.name, decision) : NOT_EDITABLE,
  );
  if (result.kind === "refused") return result.problem;
  return result.kind === "written" ? ignoreLocalSettings(places) : undefined;
}

function decided(text: string, name: string, decision: ServerDecision): ListChange {
  const [to, from] = decision === "refuse" ? [CHOICES.disabled, CHOICES.enabled] : [CHOICES.enabled, CHOICES.disabled];
  const added = changeList(text, [to], same, { add: [name] });
  if ("problem" in added) return added;
  const removed = changeList(added.text, [from], same, { remove: [name] });
  if ("problem" in removed || decision !== "use all") return removed;
  return { text: setAt(removed.text, ["enableAllProjectMcpServers"], true) };
}

const same = (written: unknown, wanted: string) => written === wanted;
