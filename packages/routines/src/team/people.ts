// The people of a server: who becomes one, by which codes they sign in, and what ends when they go.

import { randomBytes } from "node:crypto";
import type { TeamDevice, TeamRole, TeamUser } from "../records/team.ts";
import type { RowTable, RunStore } from "../store/run-store.ts";
import { secretHash, newSecretText } from "./hash.ts";

export type PeopleRows = Pick<RunStore, "users" | "devices" | "passkeys" | "tokens" | "codes" | "now">;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long a code works, by what it is for. */
export const LINK_LIFE_MS = {
  /** It makes the first admin. */
  first: HOUR_MS,
  /** Sent to somebody by an admin. */
  invitation: DAY_MS,
  /** Made at the machine. */
  machine: HOUR_MS,
  /** Of somebody who is signed in, for another device. */
  device: 2 * MINUTE_MS,
} as const;

export const ROLES_OF_PEOPLE = ["viewer", "member", "admin"] as const satisfies readonly TeamRole[];

/** The same for all, so that two codes for the first admin make one. */
const FIRST_ID = "usr_first";
const MOST_CODES_OF_USER = 5;
const MOST_DEVICES_OF_USER = 50;

/** Without control and direction characters: names are shown to others. Empty: there is none. */
export const shownName = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
    .slice(0, 100);

export const newUser = (wanted: Pick<TeamUser, "name" | "role"> & Partial<TeamUser>, now: number): TeamUser => ({
  id: `usr_${randomBytes(12).toString("hex")}`,
  email: null,
  subject: null,
  passwordHash: null,
  disabled: false,
  createdAt: now,
  seenAt: null,
  ...wanted,
});

export const hasPeople = async ({ users }: Pick<RunStore, "users">) =>
  (await users.list({}, { limit: 1 })).rows.length > 0;

/** A code for the first admin. It is worth nothing once there is anybody. */
export const codeForFirst = async (rows: PeopleRows) => makeCode(rows, "first", FIRST_ID, LINK_LIFE_MS.first);

/** A code that signs this person in. The oldest of theirs makes room. */
export const codeFor = (rows: PeopleRows, userId: string, forMs: number) => makeCode(rows, "sign-in", userId, forMs);

async function makeCode(rows: PeopleRows, kind: string, userId: string, forMs: number): Promise<string> {
  const { codes } = rows;
  const code = newSecretText();
  const expiresAt = (await rows.now()) + forMs;
  const own = (await everyRow(codes, { kind })).filter(({ body }) => body["userId"] === userId);
  const old = own.toSorted((a, b) => b.expiresAt - a.expiresAt).slice(MOST_CODES_OF_USER - 1);
  for (const { id } of old) await codes.remove(id);
  await codes.insert({ id: secretHash(code), kind, body: { userId }, expiresAt });
  return code;
}

/** Whom a code signs in. Whatever comes of it, the code is used then. `name`: of somebody who is new. */
export async function useCode(rows: PeopleRows, code: string, name: string): Promise<TeamUser | undefined> {
  const { users, codes } = rows;
  const id = secretHash(code);
  const row = (await codes.remove(id, { kind: "sign-in" })) ?? (await codes.remove(id, { kind: "first" }));
  const now = await rows.now();
  if (row === undefined || row.expiresAt <= now) return undefined;
  if (row.kind === "first") {
    if (await hasPeople(rows)) return undefined;
    const first = newUser({ id: FIRST_ID, name: name || "First admin", role: "admin" }, now);
    return (await users.insert(first)) ? first : undefined;
  }
  const user = await users.get(String(row.body["userId"]));
  if (user === undefined || user.disabled) return undefined;
  // Invited, and here for the first time.
  if (user.seenAt === null && name !== "" && (await users.update(user.id, { name }))) return { ...user, name };
  return user;
}

export interface SignedInBrowser {
  readonly row: TeamDevice;
  /** For the browser, this once. */
  readonly token: string;
  readonly forMs: number;
}

/** Signs a browser in, always under a new token. */
export async function signBrowserIn(
  rows: PeopleRows,
  user: TeamUser,
  { name, isRemembered }: { readonly name: string; readonly isRemembered: boolean },
): Promise<SignedInBrowser> {
  const { devices, users } = rows;
  const token = newSecretText();
  const at = await rows.now();
  const forMs = isRemembered ? 30 * DAY_MS : DAY_MS;
  const row = { id: secretHash(token), userId: user.id, name, createdAt: at, expiresAt: at + forMs, seenAt: at };
  const others = await everyRow(devices, { userId: user.id });
  const old = others.toSorted((a, b) => b.seenAt - a.seenAt).slice(MOST_DEVICES_OF_USER - 1);
  for (const { id } of old) await devices.remove(id);
  await devices.insert(row);
  await users.update(user.id, { seenAt: at });
  return { row, token, forMs };
}

export async function signOutEverywhere({ devices, codes }: PeopleRows, userId: string): Promise<void> {
  for (const { id } of await everyRow(devices, { userId })) await devices.remove(id);
  for (const { id, body } of await everyRow(codes, { kind: "sign-in" }))
    if (body["userId"] === userId) await codes.remove(id);
}

const isOtherAdmin = (id: string) => (each: TeamUser) => each.id !== id && each.role === "admin" && !each.disabled;

/** Somebody would have to come to the machine. */
export const isLastAdmin = async ({ users }: PeopleRows, user: TeamUser) =>
  user.role === "admin" && !user.disabled && !(await everyRow(users, { role: "admin" })).some(isOtherAdmin(user.id));

/** False: nobody would be left who may do this. Two admins who take it from each other at the same time both keep it. */
export async function changeUser(
  rows: PeopleRows,
  user: TeamUser,
  change: Partial<Pick<TeamUser, "role" | "disabled" | "name" | "email">>,
): Promise<boolean> {
  const after = { ...user, ...change };
  const loses = user.role === "admin" && !user.disabled && (after.role !== "admin" || after.disabled);
  if (loses && (await isLastAdmin(rows, user))) return false;
  await rows.users.update(user.id, change);
  if (loses && !(await everyRow(rows.users, { role: "admin" })).some(isOtherAdmin(""))) {
    await rows.users.update(user.id, { role: user.role, disabled: user.disabled });
    return false;
  }
  if (after.disabled) await signOutEverywhere(rows, user.id);
  return true;
}

/** With all by which they could sign in. False: as for `changeUser`. */
export async function removeUser(rows: PeopleRows, user: TeamUser): Promise<boolean> {
  // From then on nothing of theirs is worth anything.
  if (!(await changeUser(rows, user, { disabled: true }))) return false;
  await rows.users.remove(user.id);
  await removeKeys(rows, user.id);
  return true;
}

/** All by which they could come back without anybody being asked. How many there were. */
export async function removeKeys(
  { passkeys, tokens }: PeopleRows,
  userId: string,
): Promise<{ readonly passkeys: number; readonly tokens: number }> {
  const [keys, programs] = [await everyRow(passkeys, { userId }), await everyRow(tokens, { userId })];
  for (const { id } of keys) await passkeys.remove(id);
  for (const { id } of programs) await tokens.remove(id);
  return { passkeys: keys.length, tokens: programs.length };
}

export async function everyRow<Row extends { readonly id: string }>(
  table: RowTable<Row>,
  where: Partial<Row> = {},
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await table.list(where, { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.rows);
    cursor = page.next;
  }
  return found;
}
