// With what somebody arrived: a link of the server, or the answer of a provider. It is in the fragment, which is sent to nobody, and does
// not stay in the address or the history.

export type Arrival =
  /** `isNew`: the person has no name here yet. */
  | { readonly kind: "code"; readonly code: string; readonly isNew: boolean }
  | { readonly kind: "oidc"; readonly answer: string };

/** Once. */
export function takeArrival(): Arrival | undefined {
  const found = arrivalIn(location.hash);
  if (found !== undefined) history.replaceState(null, "", location.pathname);
  return found;
}

/** In a link as it was printed, which a terminal may have broken into lines, or in the fragment alone. */
export function arrivalIn(link: string): Arrival | undefined {
  const [, kind, value] = /#(code|welcome|oidc)=([\w%.~*'()!-]+)$/.exec(link.replace(/\s+/g, "")) ?? [];
  if (value === undefined) return undefined;
  if (kind === "oidc") return { kind, answer: decodeURIComponent(value) };
  return /^[\w-]{43}$/.test(value) ? { kind: "code", code: value, isNew: kind === "welcome" } : undefined;
}
