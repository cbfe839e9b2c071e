// keelson plugin validate: one line for each problem of a plugin or a marketplace, with file, line and fix.

import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CATALOG, MANIFEST, validateMarketplace, validatePluginFolder, type Finding } from "@keelson/config/plugins";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import { reportProblems } from "../checked-files.ts";
import type { Invoked } from "../group.ts";
import { shortenFrom, visible } from "../permissions/words.ts";

export async function validatePlugin(call: Invoked): Promise<number> {
  const { words, given, io } = call;
  if (words.length > 1) throw new UsageError("usage: keelson plugin validate [<path>] [--strict] [--json]");
  const cwd = resolve(io.cwd, given.text("cwd") ?? ".");
  const path = resolve(cwd, words[0] ?? ".");
  if (!existsSync(path)) return printError(io, `${visible(path)} does not exist`);
  const problems = findingsAt(path, io.uid).map(({ file, line, text, severity }) => ({
    file,
    ...(line === undefined ? {} : { line }),
    kind: severity === "error" ? ("unused" as const) : ("odd" as const),
    why: text,
  }));
  return reportProblems(call, { counted: shortenFrom(cwd, io.home)(path), problems, cwd });
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
