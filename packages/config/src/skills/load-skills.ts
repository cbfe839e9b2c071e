// The skills and commands of a session: those found at the start, and those that apply when a call touches a file. It
// reads the start of each file, runs nothing and keeps no state outside the set.

import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isObject, type Plugin, type Skill, type SkillProblem } from "@keelson/protocol";
import { createSkillCollector, type DormantSkill, type Origin, type SkillCollector } from "./collect.ts";
import type * as Ignored from "./find/ignored-folders.ts";
import { foldersBetween } from "./find/folders-between.ts";
import { findPlaces, foldersOf, type SkillPlace, type SkillPlaces, type SkillSettings } from "./find/places.ts";
import type * as Save from "./index/save-index.ts";
import type { FolderContent } from "./index/save-index.ts";
import { scanMarkdown, scanSkills, skillIn } from "./find/scan.ts";
import type * as Packing from "./index/pack-skills.ts";
import { skillForm, type RecalledSkills, type SkillIndex } from "./index/ready-skill.ts";
import { LEAST_INDEXED, openIndex } from "./index/skill-index.ts";
import { isMissing, isSameMark, lookAt } from "./find/file-mark.ts";
import type * as Reading from "./skill-file.ts";
import type { SkillSet } from "./skill-set.ts";
import type * as Strays from "./find/strays.ts";

export interface SkillOptions {
  /** Whether a rule denies reading a file. Only checked for links. */
  isDenied?(path: string): boolean;
  /** Milliseconds; `Date.now` if absent. */
  now?(): number;
  /** Believe the index of a large folder. Then `changed` is the first to look at its files. */
  readonly quick?: boolean;
}

export function loadSkills(settings: SkillSettings, options: SkillOptions = {}): SkillSet {
  const { isDenied = () => false, now = Date.now, quick = false } = options;
  const overrides = settings.settings["skillOverrides"];
  const collector = createSkillCollector({ overrides: isObject(overrides) ? overrides : {}, isDenied });
  if (settings.flags.disableSlashCommands) return emptySet(settings, options);

  const places = findPlaces(settings);
  for (const path of places.missing) collector.watched.set(path, undefined);
  const indexes: IndexedFolder[] = [];
  const believed = collectAll(settings, places, collector, { quick, indexes });
  /** Adds the files of believed indexes to those that are watched; a start has no time for it. */
  const watchAll = () => {
    for (const { marks } of believed.splice(0)) {
      for (const [file, mark] of marks()) if (!watched.has(file)) watched.set(file, mark);
    }
    return watched;
  };
  const isRecalled = believed.length > 0;
  const nested = nestedSkills(settings, places, collector);
  const { dormant, problems, watched } = collector;
  let strays: readonly SkillProblem[] | undefined;
  const seen = new Set<string>();
  /** Touched files that added skills. */
  const useful: string[] = [];

  /** The next start need not search a large folder for plugins. */
  const rememberPlugins = () => {
    if (collector.count() < LEAST_INDEXED) return;
    const { rememberPlain } = require("./index/save-index.ts") as typeof Save;
    const { configDir, origin } = settings;
    for (const { folder } of places.places) rememberPlain(configDir, join(folder, "skills"), origin.uid, now());
  };

  const set: SkillSet = {
    get skills() {
      return collector.skills;
    },
    get groups() {
      return collector.groups;
    },
    get dormant() {
      return dormant.map(({ skill }) => skill);
    },
    hidden: collector.hidden,
    get problems() {
      strays ??= (require("./find/strays.ts") as typeof Strays).explainStrays(collector.strays);
      return [...places.off, ...problems, ...strays];
    },
    touched(path) {
      const file = resolve(settings.cwd, path);
      if (seen.has(file)) return [];
      if (seen.size >= MOST_KNOWN) seen.clear();
      seen.add(file);
      const found = nested(file);
      const woken = dormant.filter((each) => isMatch(each, file));
      for (const each of woken) collector.wake(each);
      const all = [...found, ...woken.map(({ skill }) => skill)];
      if (all.length > 0) useful.push(file);
      return all;
    },
    changed() {
      for (const [path, stat] of watchAll()) if (!isSameMark(stat, lookAt(path))) return true;
      return false;
    },
    isCurrent: ({ file }) => !watchAll().has(file) || isSameMark(watched.get(file), lookAt(file)),
    saveIndex() {
      if (isRecalled && set.changed()) return loadSkills(settings, { ...options, quick: false }).saveIndex();
      rememberPlugins();
      for (const { index, top, from, ...content } of indexes.filter((each) => each.index.isOutdated())) {
        const { saveIndex } = require("./index/save-index.ts") as typeof Save;
        const { skillReader } = require("./skill-file.ts") as typeof Reading;
        const { packSkills } = require("./index/pack-skills.ts") as typeof Packing;
        const pack = (entries: readonly SkillEntry[]) => packSkills(entries, top, from);
        saveIndex(settings.configDir, index.folder, { ...content, read: skillReader(from.kind), pack }, now());
      }
    },
    reload(newer = settings) {
      const next = loadSkills(newer, { ...options, quick: false });
      for (const path of useful) next.touched(path);
      return next;
    },
  };
  return set;
}

function emptySet(settings: SkillSettings, options: SkillOptions): SkillSet {
  return {
    skills: [],
    groups: [],
    dormant: [],
    hidden: [],
    problems: [],
    touched: () => [],
    changed: () => false,
    isCurrent: () => true,
    saveIndex: () => undefined,
    reload: (newer = settings) => loadSkills(newer, options),
  };
}

type SkillEntry = Parameters<typeof Packing.packSkills>[0][number];

interface IndexedFolder extends FolderContent {
  readonly top: string;
  readonly from: Origin;
  readonly index: SkillIndex;
}

/** Skills of all places, then commands. Returns the indexes that were believed. */
function collectAll(
  settings: SkillSettings,
  places: SkillPlaces,
  collector: SkillCollector,
  { quick, indexes }: { readonly quick: boolean; readonly indexes: IndexedFolder[] },
): RecalledSkills[] {
  const believed: RecalledSkills[] = [];
  const { plugins, cwd, configDir, origin } = settings;
  // A folder with a manifest is a plugin, also if it is in a skills folder.
  const pluginRoots = new Set([...plugins.active, ...plugins.unused].flatMap(({ root }) => root ?? []));
  const ofPlace = ({ folder: _, ...place }: SkillPlace, kind: Skill["kind"]): Origin => ({ ...place, kind });
  const ofPlugin = ({ name, id, root, data, managed, untrusted }: Plugin, kind: Skill["kind"]): Origin => {
    const plugin = { name, id, root, data, ...(managed && { managed }) };
    return { kind, source: "plugin", base: cwd, root, plugin, ...(untrusted && { untrusted }) };
  };
  const isPlugin = (file: string, from: Origin) =>
    from.plugin === undefined && pluginRoots.size > 0 && pluginRoots.has(dirname(file));
  const recallFolder = (index: SkillIndex, top: string, origin: Origin): boolean => {
    const recalled = index.recall();
    if (recalled === undefined) return false;
    for (const [path, mark] of recalled.folders) collector.watched.set(path, mark);
    const without = origin.plugin === undefined ? pluginRoots : NO_ROOTS;
    collector.takeRecalled(recalled, { top, origin, without });
    believed.push(recalled);
    return true;
  };
  const takeFolder = (folder: string, from: Origin) => {
    if (isMissing(folder)) return void collector.watched.set(folder, undefined);
    // Where links may lead is part of the key, and what every skill gets from its place: an index that was made under
    // other conditions is another one.
    const { root = "", kind, source, base, untrusted = false } = from;
    const key = [folder, root, kind, source, base, untrusted].join("\0");
    const open = () => openIndex(configDir, key, origin.uid, skillForm(folder));
    if (quick && recallFolder(open(), folder, from)) return;
    const scan = from.kind === "skill" ? scanSkills : scanMarkdown;
    const before = collector.watched.size;
    const found = scan(folder, collector.scanOptions(from.root));
    const folders = [...collector.watched].slice(before);
    const index = found.length < LEAST_INDEXED ? undefined : open();
    if (index !== undefined) indexes.push({ index, top: folder, found, folders, from });
    for (const file of found) if (!isPlugin(file.file, from)) collector.take(file, from, { index });
  };

  for (const place of places.places) takeFolder(join(place.folder, "skills"), ofPlace(place, "skill"));
  for (const place of places.places) {
    const [, commands] = foldersOf(place);
    if (commands !== undefined) takeFolder(commands, ofPlace(place, "command"));
  }
  // Only in plugins, a command wins over a skill of its name: there it is often what puts the skill to use.
  for (const plugin of plugins.active) {
    const from = ofPlugin(plugin, "command");
    for (const file of plugin.commandFiles) {
      collector.take({ name: basename(file).replace(/\.md$/, ""), file, found: file }, from);
    }
    for (const folder of plugin.commandFolders) takeFolder(folder, from);
  }
  for (const plugin of plugins.active) {
    const from = ofPlugin(plugin, "skill");
    for (const folder of plugin.skills) {
      collector.take(skillIn(folder, folder === plugin.root ? plugin.name : undefined), from, { isAlone: true });
    }
    for (const folder of plugin.skillFolders) takeFolder(folder, from);
  }
  return believed;
}

const NO_ROOTS: ReadonlySet<string> = new Set();
const MOST_KNOWN = 20_000;

/** Finds the skills of folders between the working directory and a file, each folder once. */
function nestedSkills({ cwd }: SkillSettings, places: SkillPlaces, collector: SkillCollector) {
  const known = new Set<string>();
  let isIgnored: ((folder: string) => boolean) | undefined;
  return (file: string): readonly Skill[] => {
    const folder = dirname(file);
    if (known.has(folder)) return [];
    if (known.size >= MOST_KNOWN) known.clear();
    const found: Skill[] = [];
    for (const each of foldersBetween(cwd, folder)) {
      if (known.has(each)) continue;
      known.add(each);
      const place = places.nested(each);
      if (place === undefined) continue;
      // Loaded late: six modules that only nested skills need.
      isIgnored ??= (require("./find/ignored-folders.ts") as typeof Ignored).ignoredFolders(cwd);
      if (isIgnored(each)) continue;
      const inner = relative(cwd, each).split(sep).join("/");
      const { folder: dot, ...origin } = place;
      for (const candidate of scanSkills(join(dot, "skills"), collector.scanOptions(place.root))) {
        const skill = collector.take(
          candidate,
          { ...origin, kind: "skill" },
          { clashName: `${inner}:${candidate.name}` },
        );
        if (skill?.paths === undefined && skill !== undefined) found.push(skill);
      }
    }
    known.add(folder);
    return found;
  };
}

function isMatch({ skill, patterns }: DormantSkill, file: string): boolean {
  const inner = relative(skill.base, file).split(sep).join("/");
  return inner !== "" && inner !== ".." && !inner.startsWith("../") && patterns.covers(inner);
}
