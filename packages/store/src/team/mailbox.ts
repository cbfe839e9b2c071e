// The mailboxes of a team: one file for each member, an array of messages. Every change rewrites the file under its lock, so
// writers at the same time lose nothing; a message is marked as read only after its reader has stored it, so a reader that is
// killed loses nothing either.

import { renameSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@keelson/protocol";
import { fileState, put } from "../checkpoints/file-state.ts";
import { withFileLock } from "@keelson/disk/lock";
import { isFolderName } from "../state-folder.ts";

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
  unread(of: string): readonly Mail[];
  markRead(of: string, ids: readonly string[]): Promise<void>;
}

const MOST_MESSAGES = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
const LONGEST_TEXT = 200_000;

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

  const read = (path: string): { readonly mails: readonly Mail[]; readonly isSound: boolean } => {
    const state = fileState(path);
    if (state === "unchanged" || state.kind === "absent") return { mails: [], isSound: true };
    const entries = state.kind === "file" && state.bytes.length <= MOST_BYTES * 2 ? parse(state.bytes) : undefined;
    if (!entries) {
      complain(path, "is not a mailbox; it is set aside");
      return { mails: [], isSound: false };
    }
    const mails = entries.flatMap((entry) => mailOf(entry) ?? []);
    if (mails.length < entries.length) complain(path, "has entries that are not messages; they are left out");
    return { mails, isSound: true };
  };
  const change = (name: string, work: (mails: readonly Mail[]) => readonly Mail[]) => {
    const path = fileOf(name);
    return withFileLock(join(folder, `.${name}.lock`), () => {
      const { mails, isSound } = read(path);
      const next = work(mails);
      if (next === mails) return;
      if (!isSound) renameSync(path, `${path}.set-aside-${crypto.randomUUID().slice(0, 8)}`);
      put(path, Buffer.from(`${JSON.stringify(next, null, 2)}\n`), 0o600);
    });
  };

  return {
    async send(to, mail) {
      if (mail.text.length > LONGEST_TEXT) throw new Error(`The message is longer than ${LONGEST_TEXT} characters`);
      await change(to, (mails) => {
        // A repeated attempt to send the same message does not double it.
        if (mails.some(({ id }) => id === mail.id)) return mails;
        const kept = withRoom(mails, mail.text.length);
        if (!kept) throw new Error(`The mailbox of "${to}" is full of messages it has not read`);
        return [...kept, { ...mail, read: false }];
      });
    },
    unread: (of) => read(fileOf(of)).mails.filter((mail) => !mail.read),
    async markRead(of, ids) {
      if (ids.length === 0) return;
      const done = new Set(ids);
      await change(of, (mails) => {
        const isNew = (mail: Mail) => !mail.read && done.has(mail.id);
        return mails.some(isNew) ? mails.map((mail) => (isNew(mail) ? { ...mail, read: true } : mail)) : mails;
      });
    },
  };
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

function parse(bytes: Buffer): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function mailOf(entry: unknown): Mail | undefined {
  if (!isObject(entry)) return undefined;
  const { id, from, text, timestamp, read, summary, color } = entry;
  if (typeof from !== "string" || typeof text !== "string" || typeof timestamp !== "string") return undefined;
  if (text.length > LONGEST_TEXT || from.length > 200) return undefined;
  return {
    id: typeof id === "string" && id !== "" ? id : `unnamed-${Bun.hash(`${from}\0${timestamp}\0${text}`).toString(16)}`,
    from,
    text,
    timestamp,
    read: read === true,
    ...(typeof summary === "string" ? { summary } : {}),
    ...(typeof color === "string" ? { color } : {}),
  };
}
