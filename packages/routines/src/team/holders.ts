// Who a token stands for now: a browser that is signed in, or a program. It is looked up with each request, so that what is taken from a
// person is gone at once, on every server.

import type { DeviceRole, SignedDevice } from "@keelson/web";
import type { ApiToken, TeamRole, TeamUser } from "../records/team.ts";
import type { RunStore } from "../store/run-store.ts";
import { secretHash } from "./hash.ts";

type Rows = Pick<RunStore, "tokens" | "devices" | "users">;

/** As the door names roles. */
export const DOOR_ROLES: Readonly<Record<TeamRole, DeviceRole>> = {
  viewer: "viewer",
  member: "driver",
  admin: "admin",
};
export const TEAM_ROLES: Readonly<Record<DeviceRole, TeamRole>> = {
  viewer: "viewer",
  driver: "member",
  admin: "admin",
};
const ORDER: readonly DeviceRole[] = ["viewer", "driver", "admin"];

/** How exactly it is known when something was last used. */
const USED_MS = 10 * 60_000;

export class TeamHolders {
  readonly #rows: Rows;
  readonly #now: () => number;

  constructor(rows: Rows, now: () => number) {
    this.#rows = rows;
    this.#now = now;
  }

  async holder(token: string): Promise<SignedDevice | undefined> {
    const hash = secretHash(token);
    return (await this.#program(hash)) ?? this.#browser(hash);
  }

  /** Whether what was a valid token or browser a moment ago still is. */
  async isHeld(id: string): Promise<boolean> {
    const { devices, tokens } = this.#rows;
    const row = (await devices.get(id)) ?? (await tokens.get(id));
    if (row === undefined || (row.expiresAt !== null && row.expiresAt <= this.#now())) return false;
    return row.userId === null || (await this.#user(row.userId)) !== undefined;
  }

  async isWorker(token: string): Promise<boolean> {
    return (await this.#token(secretHash(token)))?.row.scopes.includes("worker") ?? false;
  }

  /** Who may read everything may read the figures, too. */
  async mayMeasure(token: string): Promise<boolean> {
    const { scopes = [] } = (await this.#token(secretHash(token)))?.row ?? {};
    return scopes.includes("metrics") || scopes.includes("read");
  }

  async #program(hash: string): Promise<SignedDevice | undefined> {
    const found = await this.#token(hash);
    if (found === undefined || !found.row.scopes.includes("read")) return undefined;
    const { row, owner } = found;
    const { id, name, createdAt, usedAt, scopes } = row;
    const granted = scopes.includes("admin") ? "admin" : scopes.includes("write") ? "driver" : "viewer";
    return {
      id,
      ...(owner ? { user: owner.id } : {}),
      isProgram: true,
      name,
      // Never more than whoever made it may do now.
      role: owner ? lesser(granted, DOOR_ROLES[owner.role]) : granted,
      createdMs: createdAt,
      seenMs: usedAt ?? createdAt,
      remembered: true,
    };
  }

  async #browser(hash: string): Promise<SignedDevice | undefined> {
    const { devices, users } = this.#rows;
    const row = await devices.get(hash);
    const now = this.#now();
    if (row === undefined || row.expiresAt <= now) return undefined;
    const user = await this.#user(row.userId);
    if (user === undefined) return undefined;
    if (now - row.seenAt > USED_MS) void devices.update(row.id, { seenAt: now }).catch(() => undefined);
    if (now - (user.seenAt ?? 0) > USED_MS) void users.update(user.id, { seenAt: now }).catch(() => undefined);
    return {
      id: row.id,
      user: user.id,
      name: user.name,
      role: DOOR_ROLES[user.role],
      createdMs: row.createdAt,
      seenMs: row.seenAt,
      remembered: true,
    };
  }

  async #token(
    tokenHash: string,
  ): Promise<{ readonly row: ApiToken; readonly owner: TeamUser | undefined } | undefined> {
    const { tokens } = this.#rows;
    const [row] = (await tokens.list({ tokenHash }, { limit: 1 })).rows;
    const now = this.#now();
    if (row === undefined || (row.expiresAt !== null && row.expiresAt <= now)) return undefined;
    const owner = row.userId === null ? undefined : await this.#user(row.userId);
    if (row.userId !== null && owner === undefined) return undefined;
    if (now - (row.usedAt ?? 0) > USED_MS) void tokens.update(row.id, { usedAt: now }).catch(() => undefined);
    return { row, owner };
  }

  async #user(id: string): Promise<TeamUser | undefined> {
    const user = await this.#rows.users.get(id);
    return user === undefined || user.disabled ? undefined : user;
  }
}

const lesser = (a: DeviceRole, b: DeviceRole) => ORDER[Math.min(ORDER.indexOf(a), ORDER.indexOf(b))]!;
