// Loads instruction files within fixed limits: each file once, followed by the files it includes. The caller decides which
// files, and where they may be.

import { lstatSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { InstructionFile, InstructionKind, LeftOut, LoadReason, WaitingRule } from "./instruction-file.ts";
import type * as Frontmatter from "./parse/frontmatter.ts";
import { readPage } from "./parse/markdown.ts";
import type * as Patterns from "./parse/path-patterns.ts";
import { readInstruction } from "./files/read-instruction.ts";
import { sight, type InstructionStamp } from "./files/sighting.ts";
import { isTextFile } from "./files/text-files.ts";

/** A file to load. */
export interface Candidate {
  readonly path: string;
  readonly kind: InstructionKind;
  /** The real paths of folders that it and its includes may be in without approval. Absent: anywhere. */
  readonly roots?: readonly string[];
  readonly reason: LoadReason;
  readonly trigger?: string;
}

export interface ConditionalRule extends WaitingRule {
  readonly patterns: Patterns.PathPatterns;
  /** Its patterns are relative to this folder. */
  readonly base: string;
  readonly roots?: readonly string[];
}

export interface CollectOptions {
  readonly home: string;
  readonly uid?: number | undefined;
  isExcluded(path: string): boolean;
  isDenied(path: string): boolean;
  /** Whether the user allows this project to include a file from outside, by its real path. Only called if there is one. */
  isApproved(real: string): boolean;
}

export interface Collector {
  take(candidate: Candidate): readonly InstructionFile[];
  /** Loads a rule file, or keeps it waiting if it applies only to certain files. */
  takeRule(candidate: Candidate, base: string): readonly InstructionFile[];
  /** Loads a waiting rule. */
  release(rule: ConditionalRule, trigger: string): readonly InstructionFile[];
  /** Whether files in a folder may be loaded. */
  accepts(real: string, roots: readonly string[] | undefined): boolean;
  leaveOut(path: string, why: string, more?: Partial<LeftOut>): void;
  /** Remembers the stamp of a path, to notice changes. */
  watch(path: string): InstructionStamp;
  readonly waiting: readonly ConditionalRule[];
  readonly leftOut: readonly LeftOut[];
  readonly watched: ReadonlyMap<string, InstructionStamp>;
}

const DEEPEST_INCLUDE = 5;
const MOST_FILES = 5_000;
const MOST_BYTES = 32 * 1024 * 1024;
// Each one costs a stat between runs.
const MOST_WATCHED = 10_000;
const MOST_LEFT_OUT = 1_000;
const MOST_PATTERNS = 10_000;
const PATTERNS_PER_FILE = 1_000;
const PATTERN_CHARACTERS = 4 * 1024 * 1024;

export function createCollector(options: CollectOptions): Collector {
  const taken = new Set<string>();
  const waiting: ConditionalRule[] = [];
  const waitingFor = new Set<string>();
  const leftOut: LeftOut[] = [];
  const watched = new Map<string, InstructionStamp>();
  const left = { files: MOST_FILES, bytes: MOST_BYTES, patterns: MOST_PATTERNS };

  const watch = (path: string) => {
    const known = watched.get(path);
    if (known !== undefined) return known;
    const sighting = sight(path);
    if (watched.size < MOST_WATCHED) watched.set(path, sighting);
    return sighting;
  };
  const leaveOut = (path: string, why: string, more: Partial<LeftOut> = {}) => {
    if (leftOut.length < MOST_LEFT_OUT) leftOut.push({ path, why, notable: true, ...more });
  };
  const accepts = (real: string, roots: readonly string[] | undefined) =>
    roots === undefined || roots.some((root) => isWithin(root, real)) || options.isApproved(real);

  /** The text of a file that is not loaded yet; otherwise undefined, with the reason in `leftOut`. */
  function open(candidate: Candidate, parent?: string): { text: string; real: string } | undefined {
    const { path, kind, roots } = candidate;
    const more = parent === undefined ? {} : { parent };
    const isOurs = kind === "User" || kind === "Project" || kind === "Local";
    if (isOurs && options.isExcluded(path)) return void leaveOut(path, EXCLUDED, { ...more, notable: false });
    const reading = readInstruction(path, {
      sighting: watch(path),
      accepts: (real) => (real === path && parent === undefined) || accepts(real, roots),
      uid: options.uid,
    });
    if (reading.kind === "missing") {
      return void (parent !== undefined && leaveOut(path, "it does not exist", { ...more, notable: false }));
    }
    if (reading.kind === "refused") return void leaveOut(path, reading.why, more);
    if (reading.kind === "outside")
      return void leaveOut(path, outside(path, reading.real), { ...more, external: true, real: reading.real });
    const { real, text } = reading;
    if (taken.has(real)) return undefined;
    if (isOurs && real !== path && options.isExcluded(real))
      return void leaveOut(path, EXCLUDED, { ...more, notable: false });
    if ((parent !== undefined || real !== path) && (options.isDenied(path) || options.isDenied(real)))
      return void leaveOut(path, "a rule denies reading it", more);
    if (left.files === 0 || text.length > left.bytes)
      return void leaveOut(path, "there are too many instructions already", more);
    return { text, real };
  }

  function add(candidate: Candidate, page: string, real: string, chain: readonly string[], globs?: readonly string[]) {
    const { path, kind, reason, trigger } = candidate;
    taken.add(real);
    left.files--;
    left.bytes -= page.length;
    const { text, mentions } = readPage(page);
    const parent = chain.at(-1);
    const file: InstructionFile = {
      path,
      kind,
      text,
      reason: parent !== undefined && reason !== "compact" ? "include" : reason,
      ...(parent === undefined ? {} : { parent }),
      ...(trigger === undefined ? {} : { trigger }),
      ...(globs === undefined ? {} : { globs }),
      bytes: Buffer.byteLength(text),
    };
    const included = mentions.flatMap((mention) => include(mention, candidate, [...chain, path]));
    return [...(text.trim() === "" ? [] : [file]), ...included];
  }

  function include(mention: string, candidate: Candidate, chain: readonly string[]): readonly InstructionFile[] {
    const path = targetOf(mention, dirname(candidate.path), options.home);
    if (path === undefined) return [];
    const parent = chain.at(-1)!;
    if (!isTextFile(basename(path))) {
      const exists = /[./]/.test(mention) && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
      if (exists) leaveOut(path, "it is not a kind of text file that can be included", { parent, notable: false });
      return [];
    }
    if (chain.length > DEEPEST_INCLUDE) {
      leaveOut(path, `includes are followed only ${DEEPEST_INCLUDE} files deep`, { parent });
      return [];
    }
    const opened = open({ ...candidate, path }, parent);
    return opened === undefined ? [] : add({ ...candidate, path }, withoutHead(opened.text), opened.real, chain);
  }

  function take(candidate: Candidate): readonly InstructionFile[] {
    const opened = open(candidate);
    return opened === undefined ? [] : add(candidate, withoutHead(opened.text), opened.real, []);
  }

  function takeRule(candidate: Candidate, base: string): readonly InstructionFile[] {
    const opened = open(candidate);
    if (opened === undefined) return [];
    const { path, kind, roots } = candidate;
    if (waitingFor.has(path)) return [];
    const head = frontmatterOf(opened.text);
    const broken = (why: string, body: string) => {
      leaveOut(path, `${why}; it is loaded for every file`);
      return add(candidate, body, opened.real, []);
    };
    if (head.kind === "none") return add(candidate, opened.text, opened.real, []);
    if (head.kind === "broken") return broken(head.why, head.body);
    const { paths } = head;
    if (paths === undefined || paths.every((pattern) => pattern === "**" || pattern === "**/*"))
      return add(candidate, head.body, opened.real, []);

    const budget = { patterns: Math.min(PATTERNS_PER_FILE, left.patterns), characters: PATTERN_CHARACTERS };
    const before = budget.patterns;
    // Loaded late: six modules that only rules with paths need.
    const { compilePatterns } = require("./parse/path-patterns.ts") as typeof Patterns;
    const patterns = compilePatterns(paths, budget);
    if (patterns === undefined) return broken("its paths expand to too many patterns", head.body);
    left.patterns -= before - budget.patterns;
    waitingFor.add(path);
    waiting.push({ path, kind, globs: paths, patterns, base, ...(roots === undefined ? {} : { roots }) });
    return [];
  }

  function release({ path, kind, globs, roots }: ConditionalRule, trigger: string): readonly InstructionFile[] {
    const candidate: Candidate = {
      path,
      kind,
      reason: "path_glob_match",
      trigger,
      ...(roots === undefined ? {} : { roots }),
    };
    const opened = open(candidate);
    if (opened === undefined) return [];
    const head = frontmatterOf(opened.text);
    return add(candidate, head.kind === "none" ? opened.text : head.body, opened.real, [], globs);
  }

  return { take, takeRule, release, accepts, leaveOut, watch, waiting, leftOut, watched };
}

/** Frontmatter of a file that is no rule is notes of its author. Other text between two rulers stays. */
function withoutHead(text: string): string {
  const head = text.startsWith("---") ? frontmatterOf(text) : undefined;
  return head?.kind === "read" ? head.body : text;
}

/** Loaded late: few files but rules have frontmatter. */
function frontmatterOf(text: string): Frontmatter.Frontmatter {
  return (require("./parse/frontmatter.ts") as typeof Frontmatter).readFrontmatter(text);
}

const EXCLUDED = "claudeMdExcludes excludes it";

function outside(path: string, real: string): string {
  const place = real === path ? "it is outside this project" : `it links to ${real}, outside this project`;
  return `${place}, and external files are not approved here`;
}

/** The file system root contains everything, so it does not count as a folder here. */
export function isWithin(folder: string, path: string): boolean {
  return folder !== sep && (path === folder || path.startsWith(folder + sep));
}

/** `@./a.md`, `@a.md`, `@~/a.md`, `@/a.md`. A heading after `#` and punctuation at the end are not part of the path. */
function targetOf(mention: string, folder: string, home: string): string | undefined {
  const [name = ""] = mention.split("#", 1);
  let end = name.length;
  while (end > 0 && `.,;:!?)]}"'>*`.includes(name[end - 1]!)) end--;
  const path = name.slice(0, end).replaceAll("\\ ", " ");
  if (path.startsWith("~/")) return join(home, path.slice(2));
  return /^(?:[\w.-]|\/[^/])/.test(path) ? resolve(folder, path) : undefined;
}
