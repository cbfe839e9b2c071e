// Replaces `${VAR}` and `${VAR:-default}` in the texts of one server. What is inserted is not searched again. Pure.

import { reachesChildren, type Environment } from "../../env/env.ts";

/** `user_config.KEY` is an option of a plugin. */
const VARIABLE = /\$\{((?:user_config\.)?[A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
/** For all texts of one server together. */
const MAX_LENGTH = 1024 * 1024;

export interface Expander {
  /** A variable that is not set and has no default stays as written. Throws TooLong. */
  (text: string): string;
  /** Variables that were treated as not set. */
  readonly withheld: ReadonlySet<string>;
  /** Other variables that are not set and have no default. */
  readonly unset: ReadonlySet<string>;
}

export class TooLong extends Error {}

export type Withhold = (name: string, value: string) => boolean;

export function expander(env: Environment, withhold: Withhold = () => false): Expander {
  const withheld = new Set<string>();
  const unset = new Set<string>();
  let left = MAX_LENGTH;
  const valueOf = (name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined || !withhold(name, value)) return value;
    withheld.add(name);
    return undefined;
  };
  const expand = (text: string) => {
    // Counts while replacing: a short text may repeat a long variable many times.
    const spend = (part: string) => {
      if ((left -= part.length) < 0) throw new TooLong();
      return part;
    };
    spend(text);
    return text.replace(VARIABLE, (written, name: string, fallback: string | undefined) => {
      const value = valueOf(name);
      if (value === undefined && fallback === undefined && !withheld.has(name)) unset.add(name);
      // As in a shell, `:-` also replaces an empty value.
      return spend(fallback !== undefined && !value ? fallback : (value ?? written));
    });
  };
  return Object.assign(expand, { withheld, unset });
}

/**
 * What an untrusted folder may not send to a URL of its choice. Programs it starts inherit the environment anyway, so for
 * them only Keelson's own credentials are withheld, which no program inherits.
 */
export function withheldFrom(kind: "program" | "url"): Withhold {
  if (kind === "program") return (name) => !reachesChildren(name);
  return (name, value) => !reachesChildren(name) || SECRET_NAME.test(name) || SECRET_VALUE.test(value);
}

const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|COOKIE|HEADER|SESSION|PRIVATE|CERT|SIGN|JWT|DSN|(?:^|_)PAT(?:_|$)/i;
/** A URL with a password, or a token of a well-known form. */
const SECRET_VALUE = /:\/\/[^/\s@:]*:[^/\s@]*@|^(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|AIza|eyJ)/;
