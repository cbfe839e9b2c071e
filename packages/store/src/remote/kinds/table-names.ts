// The names of a store's tables. They are inserted into SQL as they are, so only plain names are accepted.

const PLAIN = /^(?:[A-Za-z_][A-Za-z0-9_]{0,39}\.)?[A-Za-z_][A-Za-z0-9_]{0,39}$/;

/** @param prefix may include a schema: `audit.agents` gives `audit.agents_session_entries`. */
export function tableNames(prefix: string): { entries: string; sessions: string } {
  if (!PLAIN.test(prefix)) {
    throw new Error(`Not a plain table name: "${prefix}"; use letters, digits and underscores`);
  }
  return { entries: `${prefix}_session_entries`, sessions: `${prefix}_sessions` };
}
