// keelson plugin validate: one line for each problem of a plugin or a marketplace, with file, line and fix.

import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import {
  CATALOG,
  MANIFEST,
  pluginProblemText,
  validateMarketplace,
  validatePluginFolder,
  type Finding,
} from "@keelson/config/plugins";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";

export async function validatePlugin({ words, given, io }: Invoked): Promise<number> {
  if (words.length > 1) throw new UsageError("usage: keelson plugin validate [<path>] [--strict]");
  const cwd = resolve(io.cwd, given.text("cwd") ?? ".");
  const path = resolve(cwd, words[0] ?? ".");
  if (!existsSync(path)) return printError(io, `${visible(path)} does not exist`);
  const findings = findingsAt(path, io.uid);
  for (const finding of findings) {
    const near = relative(cwd, finding.file);
    const file = near === "" || near.startsWith("..") ? finding.file : near;
    await io.write(`${finding.severity}: ${visible(pluginProblemText({ ...finding, file }))}\n`);
  }
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const failed = errors > 0 || (given.has("strict") && warnings > 0);
  const counted =
    findings.length === 0
      ? "no problems"
      : `${errors} ${errors === 1 ? "error" : "errors"}, ${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  await io.write(`${visible(path)}: ${counted}\n`);
  return failed ? 1 : 0;
}

function findingsAt(path: string, uid: number | undefined): readonly Finding[] {
  if (statSync(path).isFile()) {
    if (basename(path) !== "plugin.json") return validateMarketplace(path, uid);
    const folder = dirname(path);
    return validatePluginFolder(basename(folder) === ".claude-plugin" ? dirname(folder) : folder, uid);
  }
  if (!existsSync(join(path, CATALOG))) return validatePluginFolder(path, uid);
  const own = existsSync(join(path, MANIFEST)) ? validatePluginFolder(path, uid) : [];
  return [...new Map([...validateMarketplace(path, uid), ...own].map((each) => [JSON.stringify(each), each])).values()];
}
