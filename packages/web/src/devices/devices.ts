// The devices that are signed in. Only hashes of their tokens are kept. Several servers of one user share them, so what another
// server writes applies at once.

import { isObject, tryParse } from "@keelson/protocol";
import { MAX_DEVICES } from "../door/limits.ts";

/** A viewer reads; a driver does everything. Only a server for a team has admins, who also say who may do what. */
export type DeviceRole = "viewer" | "driver" | "admin";

export interface SignedDevice {
  readonly id: string;
  /** Whose it is, on a server for a team. Absent: of the user of this machine, or of no person. */
  readonly user?: string;
  /** It is a token of a program, which makes nothing by which others could sign in. */
  readonly isProgram?: true;
  readonly name: string;
  readonly role: DeviceRole;
  readonly createdMs: number;
  /** To the minute or so. */
  readonly seenMs: number;
  /** It stays signed in when its browser is closed. */
  readonly remembered: boolean;
}

interface StoredDevice extends SignedDevice {
  /** SHA-256 of its token. */
  readonly token: string;
}

/** Where they are kept, out of reach of commands. */
export interface DeviceFile {
  /** Changes with the content. */
  stamp(): string;
  read(): string | undefined;
  /** One process at a time. */
  update(change: (text: string | undefined) => string): Promise<void>;
}

export interface NewDevice {
  readonly name: string;
  readonly role: DeviceRole;
  readonly remembered: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
const REMEMBERED_MS = 30 * DAY_MS;
/** Without a request. */
const FORGOTTEN_MS = DAY_MS;
/** How exactly it is known when a device was last seen. */
const SEEN_MS = 10 * 60_000;

export class SignedDevices {
  /** Called when one is signed out. */
  removed: (id: string) => void = () => undefined;
  readonly #file: DeviceFile;
  readonly #now: () => number;
  #known: readonly StoredDevice[] = [];
  #stamp: string | undefined;

  constructor(file: DeviceFile, now: () => number) {
    this.#file = file;
    this.#now = now;
  }

  get all(): readonly SignedDevice[] {
    return this.#current().map(withoutToken);
  }

  /** The device that has this token. */
  holder(token: string): SignedDevice | undefined {
    const hash = tokenHash(token);
    const found = this.#current().find((device) => device.token === hash);
    if (found === undefined) return undefined;
    const now = this.#now();
    if (now - found.seenMs > SEEN_MS)
      void this.#change((all) => all.map((each) => (each.id === found.id ? { ...each, seenMs: now } : each))).catch(
        () => undefined,
      );
    return withoutToken(found);
  }

  async add({ name, role, remembered }: NewDevice): Promise<{ readonly device: SignedDevice; readonly token: string }> {
    const token = randomText();
    const [id, now] = [crypto.randomUUID(), this.#now()];
    const device: SignedDevice = { id, name, role, createdMs: now, seenMs: now, remembered };
    // The ones that were not seen for the longest time make room.
    await this.#change((all) => [
      ...all.toSorted((a, b) => b.seenMs - a.seenMs).slice(0, MAX_DEVICES - 1),
      { ...device, token: tokenHash(token) },
    ]);
    return { device, token };
  }

  /** False if there is none. */
  async remove(id: string): Promise<boolean> {
    const isKnown = this.#current().some((device) => device.id === id);
    if (isKnown) await this.#change((all) => all.filter((device) => device.id !== id));
    return isKnown;
  }

  /** Those that another server has signed out are gone here, too. */
  refresh(): void {
    this.#current();
  }

  #current(): readonly StoredDevice[] {
    const stamp = this.#file.stamp();
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#keep(readDevices(this.#file.read()));
    }
    const now = this.#now();
    const valid = this.#known.filter((device) => isValid(device, now));
    if (valid.length < this.#known.length) this.#keep(valid);
    return this.#known;
  }

  async #change(change: (all: readonly StoredDevice[]) => readonly StoredDevice[]): Promise<void> {
    await this.#file.update((text) => {
      const now = this.#now();
      const devices = change(readDevices(text).filter((device) => isValid(device, now)));
      return `${JSON.stringify({ devices }, null, 2)}\n`;
    });
    this.#current();
  }

  #keep(devices: readonly StoredDevice[]): void {
    const gone = this.#known.filter(({ id }) => !devices.some((device) => device.id === id));
    this.#known = devices;
    for (const { id } of gone) this.removed(id);
  }
}

const isValid = ({ createdMs, seenMs, remembered }: SignedDevice, now: number) =>
  remembered ? now - createdMs < REMEMBERED_MS : now - seenMs < FORGOTTEN_MS;

/** 256 bits, 43 characters. */
export const randomText = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

export const tokenHash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

const withoutToken = ({ token: _, ...device }: StoredDevice): SignedDevice => device;

function readDevices(text: string | undefined): readonly StoredDevice[] {
  const value = text === undefined ? undefined : tryParse(text);
  const devices = isObject(value) ? value["devices"] : undefined;
  return Array.isArray(devices) ? devices.filter(isStored) : [];
}

function isStored(value: unknown): value is StoredDevice {
  if (!isObject(value)) return false;
  const { id, name, role, token, createdMs, seenMs, remembered } = value;
  const texts = [id, name, token].every((each) => typeof each === "string");
  const times = [createdMs, seenMs].every((each) => typeof each === "number");
  return texts && times && typeof remembered === "boolean" && (role === "viewer" || role === "driver");
}
