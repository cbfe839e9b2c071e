// Credentials for repositories, from a file of whoever runs the worker: lines such as `https://USER:TOKEN@HOST/PATH`, as `git
// credential-store` writes them. They are read for each operation, so a new token counts at once.

import { readFileSync, statSync } from "node:fs";
import { GitError, type GitCredential } from "./git.ts";

/** The credential of the line with the longest path that the address begins with. Throws GitError. */
export function credentialIn(file: string, url: string): GitCredential | undefined {
  const wanted = URL.parse(url);
  if (wanted === null || !/^https?:$/.test(wanted.protocol)) return undefined;
  let best: { readonly length: number; readonly credential: GitCredential } | undefined;
  for (const line of readLines(file)) {
    const given = URL.parse(line.trim());
    if (given === null || given.protocol !== wanted.protocol || given.host !== wanted.host) continue;
    const path = given.pathname.replace(/\/+$/, "");
    if (path !== "" && wanted.pathname !== path && !wanted.pathname.startsWith(`${path}/`)) continue;
    if (best !== undefined && best.length >= path.length) continue;
    const [username, password] = [decodeURIComponent(given.username), decodeURIComponent(given.password)];
    // A line break would be another answer to git.
    if (/[\r\n\0]/.test(username + password)) continue;
    best = { length: path.length, credential: { username, password } };
  }
  return best?.credential;
}

function readLines(file: string): readonly string[] {
  try {
    const { mode } = statSync(file);
    if ((mode & 0o077) !== 0) throw new GitError(`"${file}" can be read by others; run chmod 600 on it`);
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    if (error instanceof GitError) throw error;
    throw new GitError(
      `"${file}" cannot be read (${(error as NodeJS.ErrnoException).code}); it has the credentials for repositories`,
    );
  }
}
