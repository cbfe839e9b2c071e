// Which view the page shows: the fragment of its address, which is sent to no one.

import { signal } from "@preact/signals";

export type Route =
  | { readonly view: "sessions" }
  | { readonly view: "new" }
  | { readonly view: "devices" }
  | { readonly view: "session"; readonly id: string };

export const route = signal<Route>(read());

addEventListener("hashchange", () => (route.value = read()));

export const go = (to: string) => void (location.hash = to);

function read(): Route {
  const [, view, id] = location.hash.replace(/^#/, "").split("/");
  if (view === "s" && id !== undefined && /^[0-9a-f-]{36}$/.test(id)) return { view: "session", id };
  return view === "new" || view === "devices" ? { view } : { view: "sessions" };
}

/** The code of a link, once: it does not stay in the address or the history. */
export function takeCode(): string | undefined {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", location.pathname);
  return code;
}

/** In a link as the server prints it, which a terminal may have broken into lines, or in its code alone. */
export const codeIn = (link: string) => /(?:^|#code=)([\w-]{43})$/.exec(link.replace(/\s+/g, ""))?.[1];
