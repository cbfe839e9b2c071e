// Where secrets are stored, and under which names. Light enough to look for one at the start of a session.

export const secretsFolder = (configDir: string) => `${configDir}/mcp-credentials`;

/** Keys become file names. */
export function checkedName(name: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) throw new Error(`Not a valid key: ${JSON.stringify(name)}`);
  return name;
}
