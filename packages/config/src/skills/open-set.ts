// Loads skills only if there can be any. Most folders have none, and then a session loads nothing but this.

import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { managedDirectory } from "../scopes/scopes.ts";
import { foldersBetween } from "./find/folders-between.ts";
import type { SkillSettings } from "./find/places.ts";
import type * as Loading from "./load-skills.ts";
import type { SkillOptions } from "./load-skills.ts";
import type { SkillSet } from "./skill-set.ts";

/** Like `loadSkills`. Without skills, the first are searched for when a call touches a file below a folder with some. */
export function openSkillSet(settings: SkillSettings, options: SkillOptions = {}): SkillSet {
  const load = () => (require("./load-skills.ts") as typeof Loading).loadSkills(settings, { quick: true, ...options });
  const hasAny = () => settings.plugins.active.length > 0 || foldersIn(settings).some((folder) => existsSync(folder));
  if (hasAny()) return load();
  let loaded: SkillSet | undefined;
  const known = new Set<string>();
  /** Whether a folder on the way to the file has skills. Each folder is looked at once, as with skills. */
  const hasNested = (path: string) =>
    foldersBetween(settings.cwd, dirname(resolve(settings.cwd, path)))
      .filter((folder) => !known.has(folder) && known.add(folder))
      .some((folder) => existsSync(join(folder, ".claude", "skills")));
  /** The first skill may just have been written. */
  const isOfSkills = (path: string) => {
    const file = resolve(settings.cwd, path);
    // All these folders have one of these names, and few other paths do.
    if (!/[\\/](?:skills|commands)[\\/]/.test(file)) return false;
    return foldersIn(settings).some((folder) => file.startsWith(folder + sep));
  };
  return {
    get skills() {
      return loaded?.skills ?? [];
    },
    get groups() {
      return loaded?.groups ?? [];
    },
    get dormant() {
      return loaded?.dormant ?? [];
    },
    get hidden() {
      return loaded?.hidden ?? [];
    },
    get problems() {
      return (loaded ??= load()).problems;
    },
    touched: (path) => {
      if (loaded === undefined && !isOfSkills(path) && !hasNested(path)) return [];
      return (loaded ??= load()).touched(path);
    },
    changed: () => loaded?.changed() ?? hasAny(),
    isCurrent: (skill) => loaded?.isCurrent(skill) ?? true,
    saveIndex: () => loaded?.saveIndex(),
    reload: (next = settings) => (loaded ? loaded.reload(next) : openSkillSet(next, options)),
  };
}

/** Every folder that may hold skills or commands. Which of them count is decided when they are loaded. */
function foldersIn({ cwd, configDir, directories, flags, origin }: SkillSettings): readonly string[] {
  const managed = origin.managedDir ?? managedDirectory(origin.platform);
  const projects = [...upwards(flags.projectConfigRoot ?? cwd), ...directories].map((folder) =>
    join(folder, ".claude"),
  );
  return [join(managed, ".claude"), configDir, ...projects].flatMap((folder) => [
    join(folder, "skills"),
    join(folder, "commands"),
  ]);
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
