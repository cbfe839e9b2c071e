// The sessions that a person can choose from: those of a folder and its worktrees, or all; their text, and their names.

import { closeSync, fstatSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { isObject, tryParse } from "@keelson/protocol";
import { isSessionId, projectDir, projectsDir, transcriptPath, type SessionLocation } from "../paths.ts";
import { openOwnFile } from "@keelson/disk/own-files";
import { byteLines } from "../read/lines.ts";
import { customTitle } from "../transcript/metadata.ts";
import { openTranscript } from "../transcript/writer.ts";
import { listSessionsIn, sessionAt, type SessionInfo } from "./list.ts";
import { worktreesOf } from "./worktrees.ts";

export interface ShelfOptions {
  /** The sessions of all folders. */
  readonly allProjects?: boolean;
}

/** Newest first. Sessions without anything to show are left out. */
export async function sessionsToResume(place: SessionLocation, { allProjects = false }: ShelfOptions = {}) {
  const sessions = await listSessionsIn(shelfDirs(place, allProjects));
  return sessions.filter(({ title }) => title !== "");
}

/** Where the sessions are that a person can choose from. */
export function shelfDirs(place: SessionLocation, allProjects: boolean): string[] {
  const root = projectsDir(place.configDir);
  if (allProjects) return foldersIn(root).map((name) => join(root, name));
  const trees = place.dirName === undefined ? worktreesOf(place.cwd) : [];
  return [...new Set([projectDir(place), ...trees.map((cwd) => projectDir({ ...place, cwd }))])];
}

/** The session with this id, of any folder: of several, the one of this folder, or the newest. */
export function storedSession(place: SessionLocation, id: string): SessionInfo | undefined {
  if (!isSessionId(id)) return undefined;
  const here = sessionAt(transcriptPath(projectDir(place), id));
  if (here && here.title !== "") return here;
  const root = projectsDir(place.configDir);
  return foldersIn(root)
    .flatMap((name) => sessionAt(transcriptPath(join(root, name), id)) ?? [])
    .filter(({ title }) => title !== "")
    .toSorted((a, b) => b.modified - a.modified)[0];
}

/**
 * The sessions in which someone said all of these words, in the given order. Reads whole files. Once aborted, those that were found
 * by then.
 */
export async function searchSessionTexts(
  words: string,
  among: readonly SessionInfo[],
  signal: AbortSignal,
): Promise<SessionInfo[]> {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found: SessionInfo[] = [];
  let unpaused = 0;
  for (const session of among) {
    if (signal.aborted) break;
    if (saysAll(session, wanted)) found.push(session);
    unpaused += session.size;
    if (unpaused < PAUSE_BYTES) continue;
    unpaused = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

/** A few milliseconds of work. */
const PAUSE_BYTES = 1024 * 1024;
/** A longer line is output of a tool, not something that was said. */
const MOST_SAID = 1024 * 1024;

function saysAll(session: SessionInfo, wanted: readonly string[]): boolean {
  const { title, firstPrompt = "", lastPrompt = "", gitBranch = "", tag = "", id, path } = session;
  const known = [title, firstPrompt, lastPrompt, gitBranch, tag].join("\n").toLowerCase();
  const missing = new Set(wanted.filter((word) => !known.includes(word) && !beginsId(word, id)));
  if (missing.size === 0) return true;
  try {
    // Most files are ruled out by their bytes, before any line is looked at.
    if (!contains(path, [...missing].map(escaped))) return false;
    for (const { bytes } of byteLines(path, { maxLine: MOST_SAID })) {
      const line = bytes.toString("utf8");
      const lower = line.toLowerCase();
      const isCandidate = [...missing].some((word) => lower.includes(escaped(word)));
      const said = isCandidate ? saidIn(tryParse(line))?.toLowerCase() : undefined;
      if (said === undefined) continue;
      for (const word of missing) if (said.includes(word)) missing.delete(word);
      if (missing.size === 0) return true;
    }
  } catch {
    // Deleted since it was listed.
  }
  return false;
}

/** Anywhere else in an id, "add" or "42" would be found by chance. */
const beginsId = (word: string, id: string) => word.length >= 4 && id.startsWith(word);

const CHUNK = 1024 * 1024;

/** Whether all texts may be somewhere in the file, in any case. */
function contains(path: string, texts: readonly string[]): boolean {
  // Only these have the same bytes in any case, apart from the letters themselves.
  const ascii = texts.filter((text) => /^[\x20-\x7e]+$/.test(text));
  if (ascii.length === 0) return true;
  const missing = new Set(ascii);
  const overlap = Math.max(...ascii.map(({ length }) => length)) - 1;
  const fd = openOwnFile(path);
  try {
    const bytes = Buffer.allocUnsafe(CHUNK);
    for (let at = 0; ; at += CHUNK - overlap) {
      const got = readSync(fd, bytes, 0, CHUNK, at);
      // Faster than UTF-8, and the same for ASCII.
      const chunk = bytes.toString("latin1", 0, got).toLowerCase();
      for (const text of missing) if (chunk.includes(text)) missing.delete(text);
      if (missing.size === 0) return true;
      if (got < CHUNK) return false;
    }
  } finally {
    closeSync(fd);
  }
}

const escaped = (word: string) => JSON.stringify(word).slice(1, -1);

const PREVIEWED_TURNS = 6;
const LONGEST_ANSWER = 1_500;

/** The last prompts and answers, as Markdown: each prompt a quote. Empty if the file is gone. */
export function previewSession(path: string): string {
  for (let window = FIRST_WINDOW; ; window *= 4) {
    const { lines, isWhole } = lastLines(path, window);
    const turns = turnsIn(lines);
    if (turns.length >= PREVIEWED_TURNS || isWhole || window >= LAST_WINDOW)
      return asMarkdown(turns.slice(-PREVIEWED_TURNS));
  }
}

const FIRST_WINDOW = 256 * 1024;
const LAST_WINDOW = 16 * 1024 * 1024;

interface Turn {
  readonly prompt: string;
  answer: string;
}

function turnsIn(lines: readonly string[]): Turn[] {
  const turns: Turn[] = [];
  for (const line of lines) {
    if (line.length > MOST_SAID) continue;
    const entry = tryParse(line);
    const said = saidIn(entry);
    if (said === undefined || !isObject(entry)) continue;
    if (entry["type"] === "assistant" && turns.length > 0) turns.at(-1)!.answer = said;
    else if (entry["type"] !== "assistant") turns.push({ prompt: said, answer: "" });
  }
  return turns;
}

/** The whole lines at the end of a file. */
function lastLines(path: string, window: number): { lines: readonly string[]; isWhole: boolean } {
  let fd: number | undefined;
  try {
    fd = openOwnFile(path);
    const { size } = fstatSync(fd);
    const isWhole = size <= window;
    const bytes = Buffer.alloc(Math.min(size, window));
    const got = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString("utf8", 0, got).split("\n");
    return { lines: isWhole ? lines : lines.slice(1), isWhole };
  } catch {
    return { lines: [], isWhole: true };
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const asMarkdown = (turns: readonly Turn[]) =>
  turns
    .map(({ prompt, answer }) =>
      [prompt.trim().replaceAll(/^/gm, "> "), cut(answer.trim())].filter(Boolean).join("\n\n"),
    )
    .join("\n\n");

const cut = (text: string) => (text.length <= LONGEST_ANSWER ? text : `${text.slice(0, LONGEST_ANSWER).trimEnd()}…`);

/** Names a session that is not open here. Throws if the title is empty or the file cannot be written. */
export function nameSession({ id, path }: Pick<SessionInfo, "id" | "path">, title: string): void {
  const entry = customTitle(id, title);
  if (entry === undefined) throw new Error("The title is empty");
  let problem: Error | undefined;
  const writer = openTranscript({ path, onFailure: (error) => (problem = error) });
  writer.append([entry]);
  writer.close();
  if (problem) throw problem;
}

/** What a person or the model said in an entry; undefined for anything else, such as output of tools. */
function saidIn(entry: unknown): string | undefined {
  if (!isObject(entry) || entry["isMeta"] === true || entry["isSidechain"] === true) return undefined;
  if (entry["type"] === "attachment") {
    const { attachment } = entry;
    return isObject(attachment) && attachment["type"] === "queued_command" ? textIn(attachment["prompt"]) : undefined;
  }
  if (entry["type"] !== "user" && entry["type"] !== "assistant") return undefined;
  if (entry["isCompactSummary"] === true || !isObject(entry["message"])) return undefined;
  const text = textIn(entry["message"]["content"]);
  return text === undefined || OWN_TEXT.test(text) ? undefined : text;
}

const OWN_TEXT = /^\s*(?:<local-command-|<command-name>|<bash-std|\[Request interrupted by user)/;

function textIn(content: unknown): string | undefined {
  if (typeof content === "string") return content === "" ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((block: unknown) =>
    isObject(block) && block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

function foldersIn(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
