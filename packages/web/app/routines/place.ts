// Where somebody is on the page: the fragment of its address, in parts.

import { signal } from "@preact/signals";

export type Place = readonly string[];

export const place = signal<Place>(read());

addEventListener("hashchange", () => (place.value = read()));

export const go = (to: string) => void (location.hash = to);

function read(): Place {
  return location.hash
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => /^[\w-]{1,128}$/.test(part));
}
