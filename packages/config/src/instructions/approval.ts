// Whether the user allows a project to include instruction files from outside. Stored with trust, in the user's global
// config file, so the project cannot set it itself.

import { resolve } from "node:path";
import { isObject } from "@keelson/protocol";
import { readSettingsFile } from "../scopes/read.ts";
import type { Snapshot } from "../load/snapshot.ts";
import { globalFileOf } from "../trust/trust.ts";

export const APPROVAL = "hasClaudeMdExternalIncludesApproved";

// The same limit as for reading trust from this file.
const MAX_BYTES = 64 * 1024 * 1024;

export type ApprovalPlace = Pick<Snapshot, "cwd" | "home" | "configDir" | "origin">;

export function isApproved(place: ApprovalPlace): boolean {
  const reading = readSettingsFile(globalFileOf(place), { maxBytes: MAX_BYTES });
  const projects = reading.kind === "read" ? reading.value["projects"] : undefined;
  return [place.cwd, resolve(place.origin.cwd)].some((path) => {
    const project = isObject(projects) && Object.hasOwn(projects, path) ? projects[path] : undefined;
    return isObject(project) && project[APPROVAL] === true;
  });
}
