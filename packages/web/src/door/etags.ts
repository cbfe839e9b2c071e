// ETags as they come back: a proxy that compresses marks them as weak.

/** Whether the value of If-Match or If-None-Match names this tag. */
export const namesTag = (header: string | null, tag: string): boolean =>
  header !== null && header.split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
