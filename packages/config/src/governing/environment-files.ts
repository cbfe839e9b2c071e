// Files that the environment names, and that programs load before they do anything else: whoever writes one decides what hooks,
// servers and helpers do. Pure.

import { join, resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** One file each. */
const FILES = [
  ...["BASH_ENV", "PYTHONSTARTUP", "OPENSSL_CONF", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"],
  ...["WGETRC", "PSQLRC", "NPM_CONFIG_USERCONFIG", "npm_config_userconfig", "INPUTRC", "SCREENRC"],
];

/** A file in a folder that they name. */
const FOLDERS = [["CURL_HOME", ".curlrc"]] as const;

const JAVA_AGENT = /(?:^|\s)-(?:javaagent|agentpath):([^\s=]+)/g;

/** Several, in a text of any form; a name without a folder is looked up elsewhere. */
const NAMED: Readonly<Record<string, RegExp>> = {
  // Many programs have an ENV that is a word, such as "production".
  ENV: /^(.+)$/g,
  LD_PRELOAD: /([^\s:]+)/g,
  LD_AUDIT: /([^:]+)/g,
  NODE_OPTIONS: /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)(?:=|\s+)("[^"]+"|\S+)/g,
  RUBYOPT: /(?:^|\s)-r\s*(\S+)/g,
  JAVA_TOOL_OPTIONS: JAVA_AGENT,
  _JAVA_OPTIONS: JAVA_AGENT,
  JDK_JAVA_OPTIONS: JAVA_AGENT,
};

/** Absolute paths; some may not exist. */
export function filesInEnvironment(env: Env, { cwd, home }: { readonly cwd: string; readonly home: string }): string[] {
  const single = FILES.flatMap((name) => env[name] || []);
  const named = Object.entries(NAMED).flatMap(([name, pattern]) =>
    [...(env[name] ?? "").matchAll(pattern)].map(([, file = ""]) => file.replaceAll('"', "").replace(/^file:\/\//, "")),
  );
  const curl = FOLDERS.flatMap(([name, file]) => (env[name] ? [join(env[name], file)] : []));
  return [...single, ...named.filter((path) => path.includes("/")), ...curl]
    .map((path) => resolve(cwd, path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, home)))
    .filter((path) => !path.startsWith("/dev/"));
}
