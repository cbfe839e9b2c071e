// A link to a file, as the mention of it that a person would type. Whether it may be read is decided where mentions are.

/** Undefined if it is not a link to a file of this machine. */
export function mentionOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  if (url?.protocol !== "file:" || (url.hostname !== "" && url.hostname !== "localhost")) return undefined;
  const path = decoded(url.pathname)?.replace(/^\/(?=[A-Za-z]:)/, "");
  // What a mention cannot say is no mention.
  if (path === undefined || /["\p{Cc}]/u.test(path)) return undefined;
  const lines = /^#L(\d{1,9})(?:[-:]L?(\d{1,9}))?$/.exec(url.hash);
  const span = lines === null ? "" : `#L${lines[1]}${lines[2] === undefined ? "" : `-${lines[2]}`}`;
  return /^[\w./~+:\\-]+$/.test(path) && /\w\/?$/.test(path) ? `@${path}${span}` : `@"${path}"${span}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
