// The mailboxes of a team: one file for each member, an array of messages. Every change rewrites the file under its lock, so
// writers at the same time lose nothing; a message is marked as read only after its reader has stored it, so a reader that is
// killed loses nothing either. Whoever writes the file without us may flood it: then it is cut into files of a few messages
// each, which are read first and one after the other.

import { renameSync } from "node:fs";
import { basename, join } from "node:path";
import { holdOwnFolder, namesInOwnFolder, readOwnFile, removeOwnFile } from "@keelson/disk/own-files";
import { replaceOwnFile } from "@keelson/disk/replace-file";
import { withOwnFileLock } from "@keelson/disk/lock";
import { isObject, tryParse } from "@keelson/protocol";
import { isFolderName } from "../state-folder.ts";
import { arrayItems } from "./array-items.ts";

export interface Mail {
  /** Tells messages apart. Messages of other programs have none in the file; theirs is made from what they say. */
  readonly id: string;
  readonly from: string;
  readonly text: string;
  readonly timestamp: string;
  readonly read: boolean;
  readonly summary?: string;
  readonly color?: string;
}

export interface Mailboxes {
  /** Throws if the message is too long, or the box is full of messages that no one has read. */
  send(to: string, mail: Omit<Mail, "read">): Promise<void>;
  /** The next ones, oldest first, without those in `known`: no more than someone can read at once. */
  unread(of: string, known?: ReadonlySet<string>): readonly Mail[];
  markRead(of: string, ids: readonly string[]): Promise<void>;
}

const MOST_MESSAGES = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
const LONGEST_TEXT = 200_000;
/** Of one part of a text that is longer. */
const PART_OF_TEXT = 50_000;
/** What can be read at once. */
const MOST_AT_ONCE = 100;
const MOST_TEXT_AT_ONCE = 200_000;
/** A larger file is no mailbox, not even a flooded one. */
const LARGEST_FILE = 512 * 1024 * 1024;
const FIRST_WINDOW = 4 * 1024 * 1024;

/** `report` is called once for each file with entries that are not messages. */
export function openMailboxes(folder: string, report: (problem: string) => void): Mailboxes {
  const reported = new Set<string>();
  const fileOf = (name: string) => {
    if (!isFolderName(name)) throw new Error(`"${name}" cannot be the name of a member`);
    return join(folder, `${name}.json`);
  };
  const complain = (path: string, what: string) => {
    if (!reported.has(path)) report(`"${path}" ${what}`);
    reported.add(path);
  };
  /** The start of a file as far as it is needed. Undefined if it is no mailbox. */
  const read = (path: string, window: number): Contents | undefined => {
    const found = contentsOf(path, window);
    if (!found) complain(path, "is not a mailbox; it is set aside");
    else if (found.hasOthers) complain(path, "has entries that are not messages; they are left out");
    return found;
  };
  const partsOf = (path: string) => {
    const start = `${basename(path)}.part-`;
    return namesInOwnFolder(folder)
      .filter((name) => name.startsWith(start) && /^\d{12}$/.test(name.slice(start.length)))
      .toSorted()
      .map((name) => join(folder, name));
  };

  const unreadIn = (path: string, known: ReadonlySet<string>): readonly Mail[] => {
    for (let window = FIRST_WINDOW; ; window *= 4) {
      const found = read(path, window);
      const unread = found?.mails.filter((mail) => !mail.read && !known.has(mail.id)) ?? [];
      if (!found || found.isWhole || unread.length > 0) return unread;
    }
  };

  /** A flooded box becomes parts, after those that are there. A part that is there already is not made again. */
  const split = (path: string, { mails }: Contents) => {
    const parts = partsOf(path);
    const there = new Set(parts.flatMap((part) => read(part, LARGEST_FILE)?.mails ?? []).map(({ id }) => id));
    let number = Number(parts.at(-1)?.slice(-12) ?? 0);
    let rest = mails.filter((mail) => !mail.read && !there.has(mail.id));
    while (rest.length > 0) {
      const part = asMuchAsFits(rest);
      replaceOwnFile(`${path}.part-${String(++number).padStart(12, "0")}`, textOf(part));
      rest = rest.slice(part.length);
    }
    replaceOwnFile(path, textOf([]));
  };

  const change = (name: string, work: (path: string) => (mails: readonly Mail[]) => readonly Mail[]) => {
    const path = fileOf(name);
    return withOwnFileLock(join(folder, `.${name}.lock`), () => {
      let box = read(path, LARGEST_FILE);
      if (box?.isFlooded) {
        split(path, box);
        box = NOTHING;
      }
      const mails = box?.mails ?? [];
      const next = work(path)(mails);
      if (next === mails) return;
      if (!box) setAside(folder, basename(path));
      replaceOwnFile(path, textOf(next));
    });
  };

  return {
    async send(to, mail) {
      if (mail.text.length > LONGEST_TEXT) throw new Error(`The message is longer than ${LONGEST_TEXT} characters`);
      await change(to, () => (mails) => {
        // A repeated attempt to send the same message does not double it.
        if (mails.some(({ id }) => id === mail.id)) return mails;
        const kept = withRoom(mails, mail.text.length);
        if (!kept) throw new Error(`The mailbox of "${to}" is full of messages it has not read`);
        return [...kept, { ...mail, read: false }];
      });
    },
    unread(of, known = new Set()) {
      const path = fileOf(of);
      const found: Mail[] = [];
      for (const file of [...partsOf(path), path]) {
        found.push(...unreadIn(file, known));
        const part = asMuchAsFits(found);
        if (part.length < found.length || found.length === MOST_AT_ONCE) return part;
      }
      return found;
    },
    async markRead(of, ids) {
      if (ids.length === 0) return;
      const done = new Set(ids);
      await change(of, (path) => {
        let left = done.size;
        for (const part of partsOf(path)) {
          if (left <= 0) break;
          const mails = read(part, LARGEST_FILE)?.mails ?? [];
          const rest = mails.filter(({ id }) => !done.has(id));
          left -= mails.length - rest.length;
          if (rest.length === mails.length && rest.length > 0) continue;
          if (rest.length === 0) removeOwnFile(part);
          else replaceOwnFile(part, textOf(rest));
        }
        const isNew = (mail: Mail) => !mail.read && done.has(mail.id);
        return (mails) =>
          mails.some(isNew) ? mails.map((mail) => (isNew(mail) ? { ...mail, read: true } : mail)) : mails;
      });
    },
  };
}

const textOf = (mails: readonly Mail[]) => `${JSON.stringify(mails, null, 2)}\n`;

/** At least one. */
function asMuchAsFits(mails: readonly Mail[]): readonly Mail[] {
  let room = MOST_TEXT_AT_ONCE;
  const end = mails.findIndex(({ text }, at) => at === MOST_AT_ONCE || ((room -= text.length) < 0 && at > 0));
  return end < 0 ? mails : mails.slice(0, end);
}

function setAside(folder: string, name: string): void {
  using held = holdOwnFolder(folder);
  renameSync(held.at(name), held.at(`${name}.set-aside-${crypto.randomUUID().slice(0, 8)}`));
}

interface Contents {
  readonly mails: readonly Mail[];
  /** Entries that are not messages were left out. */
  readonly hasOthers: boolean;
  /** There is nothing after these. */
  readonly isWhole: boolean;
  /** There is more in it than we would write. */
  readonly isFlooded: boolean;
}

const NOTHING: Contents = { mails: [], hasOthers: false, isWhole: true, isFlooded: false };

/** Undefined if it is not a mailbox. */
function contentsOf(path: string, window: number): Contents | undefined {
  try {
    let size = 0;
    let isWhole = false;
    // The size is that of what is read: the file may be replaced by a larger one at any time.
    const bytes = readOwnFile(path, (found) => {
      size = found;
      isWhole = size <= Math.max(window, MOST_BYTES * 2);
      if (size > LARGEST_FILE) return 0;
      return isWhole ? size : window;
    });
    if (bytes === undefined) return NOTHING;
    if (size > LARGEST_FILE) return undefined;
    const entries = [...arrayItems(bytes, isWhole)].map((item) => tryParse(item.toString()));
    const mails = entries.map(mailsOf);
    const isLong = mails.some((parts) => parts.length > 1);
    return {
      mails: mails.flat(),
      hasOthers: mails.some((parts) => parts.length === 0),
      isWhole,
      isFlooded: isLong || size > MOST_BYTES * 2 || entries.length > MOST_MESSAGES,
    };
  } catch {
    return undefined;
  }
}

/** Forgets the oldest messages that were read if there are too many. Undefined if that is not enough. */
function withRoom(mails: readonly Mail[], needed: number): readonly Mail[] | undefined {
  const size = (kept: readonly Mail[]) => kept.reduce((sum, { text }) => sum + text.length * 2 + 500, needed * 2);
  let kept = mails;
  while (kept.length >= MOST_MESSAGES || size(kept) > MOST_BYTES) {
    const oldest = kept.findIndex((mail) => mail.read);
    if (oldest < 0) return undefined;
    // Many at once, so that not every message rewrites a box that is almost full.
    const next = kept.filter((mail, at) => !mail.read || at > oldest + MOST_MESSAGES / 10);
    kept = next.length < kept.length ? next : kept.toSpliced(oldest, 1);
  }
  return kept;
}

/** One message, or the parts of one with a long text. Empty if it is none. */
function mailsOf(entry: unknown): readonly Mail[] {
  if (!isObject(entry)) return [];
  const { id, from, text, timestamp, read, summary, color } = entry;
  if (typeof from !== "string" || typeof text !== "string" || typeof timestamp !== "string") return [];
  if (from.length > 200) return [];
  const mail: Mail = {
    id: typeof id === "string" && id !== "" ? id : `unnamed-${Bun.hash(`${from}\0${timestamp}\0${text}`).toString(16)}`,
    from,
    text,
    timestamp,
    read: read === true,
    ...(typeof summary === "string" ? { summary } : {}),
    ...(typeof color === "string" ? { color } : {}),
  };
  if (text.length <= LONGEST_TEXT) return [mail];
  const count = Math.ceil(text.length / PART_OF_TEXT);
  return Array.from({ length: count }, (_, at) => {
    const part = text.slice(at * PART_OF_TEXT, (at + 1) * PART_OF_TEXT);
    return { ...mail, id: `${mail.id}.${at + 1}`, text: `[Part ${at + 1} of ${count}]\n${part}` };
  });
}
