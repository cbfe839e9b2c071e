// The environment of the session, and the part of it that child processes inherit. Pure.

export type Environment = Readonly<Record<string, string | undefined>>;

/** Applies the `env` blocks of the settings, lowest scope first. */
export function applyBlocks(env: Environment, blocks: readonly unknown[]): Record<string, string | undefined> {
  return Object.assign({}, env, ...blocks) as Record<string, string | undefined>;
}

/** What shell commands, hooks and servers inherit: everything except our credentials and Bun's switches. */
export function inheritedEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && reachesChildren(name)) kept[name] = value;
  }
  return kept;
}

/** Whether child processes inherit a variable, wherever it was set. */
export function reachesChildren(name: string): boolean {
  const upper = name.toUpperCase();
  return !OURS.has(upper) && !SECRET_ENDING.test(upper);
}

const SECRET_ENDING = /^(ANTHROPIC|CLAUDE|KEELSON)_.*(KEY|TOKEN|SECRET|HEADERS|PASSPHRASE|CREDENTIALS)$/;
const OURS = new Set([
  "AWS_BEARER_TOKEN_BEDROCK",
  "MCP_CLIENT_SECRET",
  "BUN_OPTIONS",
  "BUN_BE_BUN",
  "CLAUDE_AGENT_SDK_VERSION",
]);
