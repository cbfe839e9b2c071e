// Records what the user accepted for an untrusted folder, where its local file alone allows nothing.

import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { ACCEPTED } from "../scopes/accepted.ts";
import { changeList, type Same, type WantedChange } from "./change-list.ts";
import { isEditable } from "./edit.ts";
import { valueAt } from "../check/known.ts";
import { isSameRule } from "../load/rules.ts";
import { NOT_EDITABLE, updateSettingsFile } from "./settings-file.ts";
import type { Snapshot } from "../load/snapshot.ts";
import type * as Present from "../trust/present.ts";
import { globalFileOf } from "../trust/trust.ts";

export type AcceptPlace = Pick<Snapshot, "cwd" | "home" | "configDir" | "origin">;

export interface Acceptance {
  readonly list: keyof typeof ACCEPTED;
  readonly wanted: Pick<WantedChange, "add" | "remove">;
}

/** Returns a sentence if it fails. In a trusted folder, it becomes a part of what was trusted. */
export async function accept(acceptances: readonly Acceptance[], place: AcceptPlace): Promise<string | undefined> {
  if (acceptances.length === 0) return undefined;
  const file = globalFileOf(place);
  const project = ["projects", place.cwd];
  const result = await updateSettingsFile({ file, private: true }, (text, settings) => {
    const entry = valueAt(settings, project);
    if (isObject(entry) && entry["hasTrustDialogAccepted"] === true) return { text };
    if (!isEditable(text)) return NOT_EDITABLE;
    return acceptances.reduce<{ text: string } | { problem: string }>(
      (state, { list, wanted }) =>
        "problem" in state ? state : changeList(state.text, [...project, ACCEPTED[list]], SAME[list], wanted),
      { text },
    );
  });
  if (result.kind !== "refused") return recordAccepted(acceptances, place);
  return `${result.problem}; what you accepted for this folder applies only to this session`;
}

/** Also if the file has it already: it may have come with the folder. */
function recordAccepted(acceptances: readonly Acceptance[], place: AcceptPlace): undefined {
  const { recordOwnWrite } = require("../trust/present.ts") as typeof Present;
  const added = (list: Acceptance["list"]) =>
    acceptances.flatMap((each) => (each.list === list ? (each.wanted.add ?? []) : []));
  const after = { permissions: { allow: added("rules"), additionalDirectories: added("directories") } };
  recordOwnWrite({ file: join(place.cwd, ".claude", "settings.local.json"), before: {}, after }, place);
}

const SAME: Readonly<Record<keyof typeof ACCEPTED, Same>> = {
  rules: isSameRule,
  directories: (written, wanted) => written === wanted,
};
