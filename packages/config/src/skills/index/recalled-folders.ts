// Large folders whose indexes are believed. There may be hundreds of skills in them before the first request, so nothing is
// made of one until it is asked for; names and files are compared only where they can clash.

import { dirname } from "node:path";
import type { Skill } from "@keelson/protocol";
import type { Origin } from "../collect.ts";
import { isInRoot } from "../find/places.ts";
import type { SkillFile } from "../find/scan.ts";
import type { ReadFacts } from "../skill-file.ts";
import type { SkillGroup } from "./skill-groups.ts";
import { readyFacts, readyFile, readyName, readySkill, unpackGroup, type RecalledSkills } from "./ready-skill.ts";
import { isEntry } from "./skill-index.ts";

/** The other side: what is taken file by file. */
export interface TakenSkills {
  readonly names: ReadonlyMap<string, string>;
  readonly files: ReadonlySet<string>;
  /** Names that settings say something about. */
  readonly overridden: ReadonlyMap<string, unknown>;
  readonly most: number;
  take(found: SkillFile, origin: Origin, recalled: ReadFacts): void;
  add(group: RecalledGroup): void;
}

/** Skills that are made when they are asked for. */
export interface RecalledGroup {
  readonly group: SkillGroup;
  make(): readonly Skill[];
}

export interface RecalledFrom {
  /** The folder that the index describes. */
  readonly top: string;
  readonly origin: Origin;
  /** Folders whose files are left out. */
  readonly without: ReadonlySet<string>;
}

export interface RecalledFolders {
  take(recalled: RecalledSkills, from: RecalledFrom): void;
  /** How many skills are in groups. */
  count(): number;
  /** Where the skill of this name is; undefined if none of theirs has it. */
  find(name: string): string | undefined;
  hasFile(file: string): boolean;
}

export function createRecalledFolders(taken: TakenSkills): RecalledFolders {
  const folders: { readonly top: string; readonly kind: Skill["kind"]; readonly names: ReadonlySet<string> }[] = [];
  const count = () => folders.reduce((sum, { names }) => sum + names.size, 0);

  const mayClash = (items: readonly Unpacked[], own: ReadonlySet<string>, { top, without }: RecalledFrom) =>
    taken.names.size + count() + own.size > taken.most ||
    [...taken.names.keys(), ...taken.overridden.keys()].some((name) => own.has(name)) ||
    [...taken.files, ...without].some((path) => isInRoot(top, path)) ||
    folders.some((other) => isInRoot(top, other.top) || isInRoot(other.top, top) || !own.isDisjointFrom(other.names)) ||
    // A link to another file in the folder.
    items.some((item) => isEntry(item) && item[0] !== item[3] && isInRoot(top, item[0]));

  return {
    count,
    find(name) {
      const folder = folders.find(({ names }) => names.has(name));
      return folder && readyFile(folder.top, folder.kind, name);
    },
    hasFile: (file) => folders.some(({ top, kind, names }) => names.has(readyName(top, kind, file) ?? "")),
    take({ items: packed, details }, from) {
      const { top, origin, without } = from;
      const { kind, base } = origin;
      const items = packed.map((item) => (isEntry(item) ? item : unpackGroup(item)));
      const own = new Set(items.flatMap((item) => (isEntry(item) ? [] : item.names)));
      const inGroups = !mayClash(items, own, from);
      if (inGroups) folders.push({ top, kind, names: own });
      const takeOne = (found: SkillFile, facts: ReadFacts) => {
        if (!without.has(dirname(found.file))) taken.take(found, origin, facts);
      };
      let next = 0;
      for (const item of items) {
        const first = next;
        next += isEntry(item) ? 1 : item.names.length;
        if (isEntry(item)) takeOne({ name: item[2], file: item[0], found: item[3] }, item[1]);
        else if (inGroups) {
          const make = () =>
            item.names.map((name, at) => readySkill(item, name, details()[first + at]!, { top, base }));
          taken.add({ group: item, make });
        } else
          for (const [at, name] of item.names.entries()) {
            const file = readyFile(top, kind, name);
            takeOne({ name, file, found: file }, readyFacts(item, details()[first + at]!));
          }
      }
    },
  };
}

type Unpacked = SkillGroup | Extract<RecalledSkills["items"][number], readonly unknown[]>;
