// Who this browser is to the server. The token is in storage of this origin, not in a cookie, where those would reach other ports. Behind
// a proxy, a server for a team sets a cookie that no script can read: then there is an empty text in place of the token.

import { signal } from "@preact/signals";

const KEY = "keelson-token";

const read = () => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? undefined;

/** Absent: not signed in. */
export const token = signal<string | undefined>(read());

/** By the cookie that came with the reply. */
export const signedInByCookie = () => signedIn("", true);

export function signedIn(value: string, remember: boolean): void {
  forget();
  (remember ? localStorage : sessionStorage).setItem(KEY, value);
  token.value = value;
}

export function forget(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
  token.value = undefined;
}

/** How the list of devices calls this one. */
export function deviceName(): string {
  const { userAgent } = navigator;
  const browser = [...NAMES].find(([part]) => userAgent.includes(part))?.[1] ?? "A browser";
  const system = [...SYSTEMS].find(([part]) => userAgent.includes(part))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}

const NAMES = new Map([
  ["Edg/", "Edge"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
]);
const SYSTEMS = new Map([
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
]);
