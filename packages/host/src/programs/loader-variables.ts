// Variables by which the system loads code into a program before the program does anything itself. They may name files that
// commands can write, so what runs outside the shield for our own purposes starts without them.

type Env = Readonly<Record<string, string | undefined>>;

/** Of the loader and the C library: they concern every program. */
const OF_EVERY_PROGRAM = /^(?:LD_|DYLD_|GCONV_PATH$)/;
/** Of libraries and interpreters that programs of the system use. */
const OF_LIBRARIES =
  /^(?:OPENSSL_(?:CONF|MODULES|ENGINES)|GIO_(?:MODULE_DIR|EXTRA_MODULES)|G?TK_(?:MODULES|PATH|EXE_PREFIX)|PERL5(?:LIB|OPT|DB)|PYTHON(?:PATH|HOME|STARTUP)|BASH_ENV|ENV|GIT_EXEC_PATH|GIT_TEMPLATE_DIR)$/;

const isLoader = (name: string) => OF_EVERY_PROGRAM.test(name);

/** For a helper: nothing that its libraries would load. Its PATH is `helperPath`. */
export function withoutLoaded<Value>(env: Readonly<Record<string, Value>>): Record<string, Value> {
  const isKept = (name: string) => !isLoader(name) && !OF_LIBRARIES.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}

/** Under another name, which only `uncarry` knows. */
export const carrierOf = (name: string) => `KEELSON_CARRIED_${name}`;
const CARRIER = carrierOf("");

/**
 * An environment for what sets up the shield or the sandbox and then becomes the command: its loader variables have other
 * names until `uncarry` runs inside. Not as arguments: everyone can read those.
 */
export function carried(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [isLoader(name) ? carrierOf(name) : name, value]),
  );
}

/** Commands for a shell inside: they give the variables of a `carried` environment their names back. */
export function uncarry(env: Env): readonly string[] {
  const names = Object.keys(env).flatMap((name) => (name.startsWith(CARRIER) ? [name.slice(CARRIER.length)] : []));
  return names
    .filter((name) => /^[A-Za-z_]\w*$/.test(name) && isLoader(name))
    .map((name) => `export ${name}="$${carrierOf(name)}"; unset ${carrierOf(name)}`);
}

/** The part of an environment that `carried` renames. */
export const loaderVariables = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isLoader(name)));

/** The rest of it. */
export const withoutLoader = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !isLoader(name)));
