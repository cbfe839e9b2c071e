// keelson plugin new and tag: the beginning of a plugin, and of a release of it.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { MANIFEST, pluginNameProblem, pluginProblemText, readPluginFolder } from "@keelson/config/plugins";
import { findHelper, helperEnvironment, helperMissing } from "@keelson/host/programs";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";

export async function newPlugin({ words, given, io }: Invoked): Promise<number> {
  const [path, ...more] = words;
  if (path === undefined || more.length > 0) throw new UsageError("usage: keelson plugin new <name>");
  const folder = resolve(resolve(io.cwd, given.text("cwd") ?? "."), path);
  const name = basename(folder);
  const problem = pluginNameProblem(name);
  if (problem !== undefined) return printError(io, `the name "${visible(name)}" ${problem}`);
  if (existsSync(folder)) return printError(io, `${visible(folder)} already exists; choose another name`);
  const manifest = { name, version: "0.1.0", description: "What this plugin is for", author: { name: "Your name" } };
  const files = {
    [MANIFEST]: `${JSON.stringify(manifest, null, 2)}\n`,
    [join("skills", "hello", "SKILL.md")]: SKILL,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text, { flag: "wx" });
  }
  await io.write(
    `Created ${visible(path)} with ${Object.keys(files).join(" and ")}\n` +
      `To try it, run: keelson -p "/${name}:hello" --plugin-dir ${visible(path)}\n`,
  );
  return 0;
}

const SKILL = `---
description: Greets the user. Use it when the user asks for a greeting.
---

Greet the user in one short sentence.
`;

/** \`name--v1.2.0\`, on the commit that is checked out. */
export async function tagPlugin({ words, given, io }: Invoked): Promise<number> {
  if (words.length > 1) throw new UsageError("usage: keelson plugin tag [<path>] [--dry-run]");
  const folder = resolve(resolve(io.cwd, given.text("cwd") ?? "."), words[0] ?? ".");
  const { plugin, problems } = readPluginFolder(folder, { uid: io.uid });
  const [fatal] = problems.filter((problem) => problem.fatal);
  if (plugin === undefined)
    return printError(io, fatal ? pluginProblemText(fatal) : `${visible(folder)} is not a plugin`);
  const { version } = plugin.manifest;
  if (version === undefined) return printError(io, `${visible(join(folder, MANIFEST))}: add "version" first`);
  if (!/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version)) {
    return printError(
      io,
      `${visible(join(folder, MANIFEST))}: "version" should be like 1.2.3, not "${visible(version)}"`,
    );
  }
  const tag = `${plugin.name}--v${version}`;
  const changes = git(folder, "status", "--porcelain", "--", ".");
  if (changes.code === NO_GIT) return printError(io, changes.text);
  if (changes.code !== 0) return printError(io, `${visible(folder)} is not in a git repository`);
  if (changes.text !== "") return printError(io, `${visible(folder)} has uncommitted changes; commit them first`);
  if (given.has("dry-run")) {
    await io.write(`Would create the tag ${tag}\n`);
    return 0;
  }
  const made = git(folder, "tag", "-a", tag, "-m", `${plugin.name} ${version}`);
  if (made.code !== 0)
    return printError(io, `git could not create the tag: ${visible(made.text.split("\n")[0] ?? "")}`);
  await io.write(`Created the tag ${tag}; to publish it, run: git push origin ${tag}\n`);
  return 0;
}

const NO_GIT = 127;

function git(cwd: string, ...words: readonly string[]): { readonly code: number; readonly text: string } {
  const off = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const { PATH } = process.env;
  const program = findHelper("git", PATH);
  if (program === null)
    return { code: NO_GIT, text: helperMissing("git", PATH, "install it with the system's packages") };
  const env = helperEnvironment(process.env);
  const { exitCode, stdout, stderr } = Bun.spawnSync([program, ...off, ...words], { cwd, env, stdin: "ignore" });
  return { code: exitCode, text: exitCode === 0 ? stdout.toString().trim() : stderr.toString().trim() };
}
