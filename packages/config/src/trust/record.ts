// What the user trusted in a folder, by content. The record is in the configuration folder, with a code that only Keelson can
// make. Whatever is not in it may only restrict until the user is asked.

import { rmSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { holdOwnFolder } from "@keelson/disk/own-files";
import { realPathOf } from "@keelson/disk/real-path";
import type * as Replacing from "@keelson/disk/replace-file";
import { openSeal } from "@keelson/disk/seal";
import { isObject, type JsonObject } from "@keelson/protocol";
import { readSettingsFile } from "../scopes/read.ts";
import { grantDigest, type FolderGrant } from "./grants.ts";
import { recordFile } from "./trust.ts";

/** By the name of a file in the folder: the digests of its grants. */
export type TrustedContent = Readonly<Record<string, readonly string[]>>;

/** "none": nothing was recorded yet. A record that Keelson did not write believes nothing. */
export function readTrustRecord(configDir: string, folder: string): TrustedContent | "none" {
  const reading = readSettingsFile(recordFile(configDir, folder));
  if (reading.kind === "missing") return "none";
  const { files, code } = reading.kind === "read" ? reading.value : ({} as JsonObject);
  if (!isContent(files) || !openSeal(configDir).isSealed("trust", boundText(folder, files), code)) return {};
  return files;
}

/** Whether it was written. Without a secret to seal it with, there is no record, and the folder's flag alone counts. */
export function writeTrustRecord(configDir: string, folder: string, files: TrustedContent): boolean {
  const code = openSeal(configDir).sealText("trust", boundText(folder, files));
  if (code === undefined) return false;
  const file = recordFile(realPathOf(configDir), folder);
  try {
    using held = holdOwnFolder(dirname(file), { create: 0o700 });
    const { replaceFile } = require("@keelson/disk/replace-file") as typeof Replacing;
    replaceFile(held.at(basename(file)), `${JSON.stringify({ folder, files, code }, null, 2)}\n`, 0o600);
    return true;
  } catch {
    return false;
  }
}

export const forgetTrustRecord = (configDir: string, folder: string): void =>
  rmSync(recordFile(configDir, folder), { force: true });

/** The name of a file in a record: a worktree has the same names as its main checkout. */
export const sourceIn = (folder: string, file: string): string => relative(folder, file);

export function unknownGrants(
  contents: readonly TrustedContent[],
  source: string,
  grants: readonly FolderGrant[],
): readonly FolderGrant[] {
  const known = new Set(contents.flatMap((content) => (Object.hasOwn(content, source) ? content[source]! : [])));
  return grants.filter((grant) => !known.has(grantDigest(grant)));
}

const boundText = (folder: string, files: TrustedContent) =>
  JSON.stringify([folder, Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1))]);

function isContent(value: unknown): value is TrustedContent {
  const isTexts = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === "string");
  return isObject(value) && Object.values(value).every(isTexts);
}
