// Timeout and output limit of a command, from the call and the environment. Pure.

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
const DEFAULT_MAX_OUTPUT = 30_000;
/** The environment cannot raise the output limit beyond this. */
export const MAX_OUTPUT = 150_000;

/** The requested timeout, silently clamped to the maximum. */
export function timeoutFor(requested: number | undefined, env: Env): number {
  return Math.min(requested !== undefined && requested > 0 ? requested : defaultTimeout(env), longestTimeout(env));
}

export function longestTimeout(env: Env): number {
  return Math.max(positiveInt(env["BASH_MAX_TIMEOUT_MS"]) ?? MAX_TIMEOUT_MS, defaultTimeout(env));
}

const defaultTimeout = (env: Env) => positiveInt(env["BASH_DEFAULT_TIMEOUT_MS"]) ?? DEFAULT_TIMEOUT_MS;

export function maxOutputFor(env: Env): number {
  return Math.min(positiveInt(env["BASH_MAX_OUTPUT_LENGTH"]) ?? DEFAULT_MAX_OUTPUT, MAX_OUTPUT);
}

function positiveInt(text: string | undefined): number | undefined {
  const value = Number.parseInt(text ?? "", 10);
  return value > 0 ? value : undefined;
}
