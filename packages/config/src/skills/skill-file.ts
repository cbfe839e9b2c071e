// Reads what one file says, or takes it from the index if the file has not changed.

import { lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Skill } from "@keelson/protocol";
import { factsOf, type SkillFacts } from "./facts.ts";
import type { HeadProblem } from "./frontmatter/head-node.ts";
import { readHead } from "./frontmatter/head.ts";
import { createStartReader, type FileStart, type StartRead, type StartReader } from "./find/read-start.ts";
import { followLink, type ScanOptions, type SkillFile } from "./find/scan.ts";
import { looksLikeText } from "./plain.ts";
import type { ReadForIndex } from "./index/save-index.ts";
import type { SkillIndex } from "./index/ready-skill.ts";

export interface ReadFacts extends SkillFacts {
  readonly oddities: readonly HeadProblem[];
}

export interface SkillFileReader {
  /** Undefined if there is no such file, or it may not be used; the reason is reported. */
  open(
    found: SkillFile,
    kind: Skill["kind"],
    options: ScanOptions,
    index: SkillIndex | undefined,
  ): { readonly file: string; readonly facts: ReadFacts } | undefined;
}

const WITHOUT_ERROR = { throwIfNoEntry: false } as const;

export function createSkillFileReader(): SkillFileReader {
  const reader = createStartReader();
  return {
    open(found, kind, options, index) {
      const { watch } = options;
      if (index?.has(found.file)) {
        const stat = lstatSync(found.file, WITHOUT_ERROR);
        if (stat?.isFile()) {
          watch(found.file, stat);
          const known = index.find(found.file, stat);
          if (known !== undefined) return { file: found.file, facts: known };
        }
      }
      const { file, start } = openStart(found, reader, options);
      if (start.kind === "missing") {
        // Noticed when the file appears.
        const folder = dirname(file);
        watch(folder, statSync(folder, WITHOUT_ERROR));
        return void options.stray(dirname(found.found), "folder");
      }
      if (start.kind === "link") return undefined;
      if (start.kind === "refused") return void options.refuse(found.found, start.why);
      watch(file, start.stat);
      if (!looksLikeText(start.source)) return void options.refuse(found.found, "it is not text; save it as UTF-8");
      if (file === found.file) index?.miss(file);
      return { file, facts: readFacts(reader, file, kind, start) };
    },
  };
}

export function skillReader(kind: Skill["kind"]): ReadForIndex<ReadFacts> {
  const reader = createStartReader();
  return (file) => {
    const start = reader.read(file);
    return start.kind === "read" ? { stat: start.stat, facts: readFacts(reader, file, kind, start) } : undefined;
  };
}

/** Follows a link to the file itself, which is rare. */
export function openStart(
  found: SkillFile,
  reader: StartReader,
  options: ScanOptions,
): { readonly file: string; readonly start: FileStart } {
  const start = reader.read(found.file);
  if (start.kind !== "link") return { file: found.file, start };
  const target = followLink(found.file, options);
  if (target === undefined) return { file: found.file, start };
  return { file: target.real, start: reader.read(target.real) };
}

function readFacts(reader: StartReader, file: string, kind: Skill["kind"], start: StartRead): ReadFacts {
  const { head, body } = readEnough(reader, file, start);
  const oddities: HeadProblem[] = [];
  const facts = factsOf({ kind, head, body, report: (problem) => void oddities.push(problem) });
  return Object.assign(facts, { oddities });
}

/** Reads more if the frontmatter or the first line of the text is not in the first part. */
export function readEnough(reader: StartReader, file: string, { source, isWhole }: StartRead) {
  const parse = (text: string) => {
    const head = readHead(text);
    return { head, body: text.slice(head.bodyAt) };
  };
  const first = parse(source);
  const { head, body } = first;
  const isClosed = !head.isOpen && body !== "";
  if (isWhole || (isClosed && (head.fields.has("description") || /\S[^\n]*\n/.test(body)))) return first;
  const long = reader.read(file, { long: true });
  return long.kind === "read" ? parse(long.source) : first;
}
