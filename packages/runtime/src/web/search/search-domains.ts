// The domain lists of a search: for the query, and for what came back.

export interface DomainLists {
  readonly allowed: readonly string[];
  readonly blocked: readonly string[];
}

/** The query with the operators that most search engines know. */
export function queryWithDomains({ query, allowed, blocked }: DomainLists & { readonly query: string }): string {
  const only = allowed.map((domain) => `site:${domain}`).join(" OR ");
  const without = blocked.map((domain) => `-site:${domain}`).join(" ");
  return [query, allowed.length > 1 ? `(${only})` : only, without].filter((part) => part !== "").join(" ");
}

/** Whether a result may be shown, whatever the search made of the operators. */
export function mayShow(url: string, { allowed, blocked }: DomainLists): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  if (blocked.some((domain) => isBelow(parsed, domain))) return false;
  return allowed.length === 0 || allowed.some((domain) => isBelow(parsed, domain));
}

/** `example.com` includes the hosts below it, `example.com/blog` only what begins with that path. */
function isBelow({ hostname, pathname }: URL, domain: string): boolean {
  const [host = "", ...path] = domain
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/^\*\./, "")
    .split("/");
  const given = host.replace(/:\d+$/, "");
  // Addresses spell other alphabets in their own way.
  const name = URL.parse(`https://${given}`)?.hostname ?? given;
  const found = hostname.replace(/\.+$/, "");
  if (given === "" || (found !== name && !found.endsWith(`.${name}`))) return false;
  const prefix = `/${path.join("/")}`.replace(/\/$/, "");
  const at = pathname.toLowerCase();
  return at === prefix || at.startsWith(`${prefix}/`);
}

const URLS = /https?:\/\/[^\s"'<>()[\]{}|\\^`]+/g;

/** Text about results, without the paragraphs that are about pages which may not be shown. */
export function textWithin(text: string, lists: DomainLists): string {
  if (lists.allowed.length === 0 && lists.blocked.length === 0) return text;
  const kept = text.split(/\n\s*\n/).filter((paragraph) => {
    const urls = paragraph.match(URLS) ?? [];
    return urls.every((url) => mayShow(url, lists)) && (lists.allowed.length === 0 || urls.length > 0);
  });
  return kept.join("\n\n");
}
