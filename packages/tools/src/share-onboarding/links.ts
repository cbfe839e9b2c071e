// The files that a Markdown text links to: links, images, definitions, and `src` and `href` of HTML. Pure.

const PATTERNS = [
  /\]\(\s*<([^<>\n]{1,1000})>/g,
  /\]\(\s*([^\s()<>]{1,1000})/g,
  /^ {0,3}\[[^\]\n]{1,200}\]:\s*<?([^\s<>]{1,1000})/gm,
  /\b(?:src|href)\s*=\s*["']([^"'\n]{1,1000})["']/gi,
];

/** As written, without fragment and query. Addresses and fragments alone are left out. */
export function linksIn(markdown: string): string[] {
  const found = PATTERNS.flatMap((pattern) => [...markdown.matchAll(pattern)].map(([, target]) => target!));
  const paths = found.flatMap((target) => {
    if (/^[a-z][a-z0-9+.-]*:|^\/\/|^#/i.test(target)) return [];
    const path = decoded(target.replace(/[?#].*$/, ""));
    return path === "" || path.includes("\0") ? [] : [path];
  });
  return [...new Set(paths)];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
