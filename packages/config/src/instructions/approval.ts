// Which files from outside a project its instruction files may include, as the user said. Stored with trust, in the user's
// global config file, so the project cannot set it itself.

import { isAbsolute, resolve } from "node:path";
import { isObject } from "@keelson/protocol";
import { readSettingsFile } from "../scopes/read.ts";
import type { Snapshot } from "../load/snapshot.ts";
import { globalFileOf } from "../trust/trust.ts";

/** What compatible programs store: whether files may be included, not which. */
export const APPROVAL = "hasClaudeMdExternalIncludesApproved";
/** Keelson's own: what the user was asked about, as real paths. What is approved needs `APPROVAL` too. */
export const ANSWERS = "keelsonExternalIncludes";

// The same limit as for reading trust from this file.
const MAX_BYTES = 64 * 1024 * 1024;

export type ApprovalPlace = Pick<Snapshot, "cwd" | "home" | "configDir" | "origin">;

export interface IncludeAnswers {
  readonly approved: readonly string[];
  readonly refused: readonly string[];
}

export function includeAnswers(place: ApprovalPlace): IncludeAnswers {
  const reading = readSettingsFile(globalFileOf(place), { maxBytes: MAX_BYTES });
  const projects = reading.kind === "read" ? reading.value["projects"] : undefined;
  const answers = [...new Set([place.cwd, resolve(place.origin.cwd)])].map((path) =>
    answersIn(isObject(projects) && Object.hasOwn(projects, path) ? projects[path] : undefined),
  );
  return {
    approved: answers.flatMap(({ approved }) => approved),
    refused: answers.flatMap(({ refused }) => refused),
  };
}

/** Of one project. */
export function answersIn(project: unknown): IncludeAnswers {
  const written = isObject(project) ? project[ANSWERS] : undefined;
  const list = (name: keyof IncludeAnswers) => {
    const value = isObject(written) ? written[name] : undefined;
    return Array.isArray(value)
      ? value.filter((path): path is string => typeof path === "string" && isAbsolute(path))
      : [];
  };
  const isOn = isObject(project) && project[APPROVAL] === true;
  return { approved: isOn ? list("approved") : [], refused: list("refused") };
}
