// Keeps local settings out of commits with a line in the user's global ignore file. Does not start git.

import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { readWholeFile } from "../scopes/read.ts";
import { atHome } from "../scopes/scopes.ts";

const LINE = "**/.claude/settings.local.json";

export interface GitPlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Adds the line if it is missing. Returns a sentence if that fails. */
export function ignoreLocalSettings(places: GitPlaces): string | undefined {
  const file = globalIgnoreFile(places);
  const current = readWholeFile(file);
  if (typeof current !== "string" && current.kind === "broken")
    return `${file} is ${current.problem}; add ${LINE} to it`;
  const text = typeof current === "string" ? current : "";
  if (text.split(/\r?\n/).some((line) => line.trim() === LINE)) return undefined;
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${LINE}\n`);
    return undefined;
  } catch (error) {
    return `${file} cannot be written (${(error as NodeJS.ErrnoException).code}); add ${LINE} to it`;
  }
}

/** `core.excludesFile` of the user's git configuration, or git's default. */
export function globalIgnoreFile({ home, env }: GitPlaces): string {
  const folder = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "git");
  for (const config of [join(home, ".gitconfig"), join(folder, "config")]) {
    const text = readWholeFile(config);
    const named = typeof text === "string" ? excludesFile(text) : undefined;
    if (named !== undefined) return atHome(named, home, home);
  }
  return join(folder, "ignore");
}

function excludesFile(config: string): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of config.split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]\s"]+)\s*(?:"[^"]*")?\s*\]/.exec(line)?.[1];
    if (header !== undefined) section = header.toLowerCase();
    const value = section === "core" ? /^\s*excludesfile\s*=\s*("?)([^"#;]+)\1/i.exec(line)?.[2]?.trim() : undefined;
    if (value) found = value;
  }
  return found;
}
