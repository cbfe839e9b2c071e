// What the user's own npm configuration says: which registry has a package, and which token it wants. The .npmrc of a project
// is not read: a repository does not choose where plugins come from. Pure.

type Env = Readonly<Record<string, string | undefined>>;

export interface NpmConfig {
  /** The address of the registry that has the package, without a slash at the end. */
  registryOf(packageName: string): string;
  /** What to send along to this address: the token that the user keeps for it, and nothing to others. */
  headersFor(url: URL): Readonly<Record<string, string>>;
}

const PUBLIC_REGISTRY = "https://registry.npmjs.org";

/** `text`: the content of the user's `.npmrc`. */
export function readNpmrc(text: string, env: Env): NpmConfig {
  const keys = new Map(
    text.split("\n").flatMap((line) => {
      const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      return key === undefined || value === undefined ? [] : [[key, expanded(unquoted(value), env)] as const];
    }),
  );
  return {
    registryOf(packageName) {
      const [, scope] = /^(@[^/]+)\//.exec(packageName) ?? [];
      const found =
        (scope === undefined ? undefined : keys.get(`${scope}:registry`)) ||
        env["npm_config_registry"] ||
        env["NPM_CONFIG_REGISTRY"] ||
        keys.get("registry") ||
        PUBLIC_REGISTRY;
      return found.replace(/\/+$/, "");
    },
    headersFor(url): Readonly<Record<string, string>> {
      // Keys are `//host/path/:_authToken`; the longest path that holds the address is meant.
      for (let path = url.pathname; ; path = path.replace(/[^/]*\/?$/, "")) {
        const place = `//${url.host}${path.endsWith("/") ? path : `${path}/`}`;
        const token = keys.get(`${place}:_authToken`);
        const basic = keys.get(`${place}:_auth`);
        if (token) return { authorization: `Bearer ${token}` };
        if (basic) return { authorization: `Basic ${basic}` };
        if (path === "" || path === "/") return {};
      }
    },
  };
}

const unquoted = (value: string) => /^"(.*)"$/.exec(value)?.[1] ?? /^'(.*)'$/.exec(value)?.[1] ?? value;

/** A variable that is not set stays as it is written, as npm leaves it. */
const expanded = (value: string, env: Env) =>
  value.replaceAll(/\$\{([^}]+)\}/g, (written, name: string) => env[name] ?? written);
