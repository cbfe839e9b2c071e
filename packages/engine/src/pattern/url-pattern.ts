// URL patterns from settings (`allowedHttpHookUrls`, `allowedMcpServers`). Compares scheme, host, port and path separately,
// never the URL as one text, so no part can pass for another.

/** Undefined patterns allow every URL; an empty list allows none. */
export function isAllowedUrl(url: URL, patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.some((pattern) => matchesPattern(url, pattern.trim()));
}

function matchesPattern(url: URL, pattern: string): boolean {
  const parts = parsePattern(pattern);
  if (!parts) return false;
  const { scheme, host, port, path } = parts;
  const usual = url.protocol === "https:" || url.protocol === "wss:" ? "443" : "80";
  return (
    matchesStars(url.protocol.slice(0, -1), scheme) &&
    hostMatches(withoutDot(url.hostname), host) &&
    (port === "*" || (port || usual) === (url.port || usual)) &&
    matchesStars(url.pathname + url.search, path)
  );
}

interface Parts {
  readonly scheme: string;
  readonly host: string;
  /** Digits or `*`; empty means the default port of the scheme. */
  readonly port: string;
  readonly path: string;
}

/**
 * `https://hooks.example.com/*`, `http://localhost:*`, `https://*.example.com/*`, `*`. A star that ends the host
 * (`https://example.com*`) matches a port and a path, not more of the name: `example.com.evil.test` is another host.
 * Without a path, only `/` matches.
 */
function parsePattern(pattern: string): Parts | undefined {
  const found = /^(?:([a-z*]+):\/\/)?(\[[^\]/]*\]|[^:/?#@[\]\\]*)(?::(\d+|\*))?(\/.*)?$/is.exec(pattern);
  if (!found) return undefined;
  const [, scheme, authority = "", port, path] = found;
  if (scheme === undefined && !authority.startsWith("*")) return undefined;
  const open = port === undefined && /(?:^|[^.])\*$/.test(authority);
  const host = canonicalHost(open && authority !== "*" ? authority.slice(0, -1) : authority);
  if (host === undefined) return undefined;
  return {
    scheme: scheme?.toLowerCase() ?? "*",
    host,
    port: port ?? (open ? "*" : ""),
    path: path ?? (open || port === "*" ? "*" : "/"),
  };
}

/** Normalizes like the URL parser: lower case, punycode, plain addresses. Keeps stars. */
function canonicalHost(host: string): string | undefined {
  const parsed = host === "" ? null : URL.parse(`http://${host}/`);
  return parsed ? withoutDot(parsed.hostname) : undefined;
}

/** A leading star matches any number of labels; other stars match within one label. */
function hostMatches(host: string, pattern: string): boolean {
  const labels = host.split(".");
  const wanted = pattern.split(".");
  const spare = labels.length - wanted.length;
  if (spare < 0 || (spare > 0 && !pattern.startsWith("*"))) return false;
  const aligned = [labels.slice(0, spare + 1).join("."), ...labels.slice(spare + 1)];
  return wanted.every((label, index) => matchesStars(aligned[index]!, label));
}

const withoutDot = (host: string) => host.replace(/\.$/, "");

/** `*` matches any text. Backtracks only to the last star, so the time is at most the product of both lengths. */
function matchesStars(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0; // position in the pattern
  let star = -1;
  let covered = 0; // where the text after the last star starts
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next++;
      covered = at;
    } else if (pattern[next] === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++covered;
    } else return false;
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
