// The limits of a command, from the variables that tune them. Pure.

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_MAX_OUTPUT = 30_000;
/** Nobody may raise the shown output beyond this. */
export const MAX_OUTPUT = 150_000;

/** What was asked for, within what is allowed; too much is cut silently. */
export function timeoutFor(asked: number | undefined, env: Env): number {
  const usual = positiveInt(env["BASH_DEFAULT_TIMEOUT_MS"]) ?? DEFAULT_TIMEOUT_MS;
  const most = Math.max(positiveInt(env["BASH_MAX_TIMEOUT_MS"]) ?? MAX_TIMEOUT_MS, usual);
  return Math.min(asked !== undefined && asked > 0 ? asked : usual, most);
}

export function maxOutputFor(env: Env): number {
  return Math.min(positiveInt(env["BASH_MAX_OUTPUT_LENGTH"]) ?? DEFAULT_MAX_OUTPUT, MAX_OUTPUT);
}

function positiveInt(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return value > 0 ? value : undefined;
}
