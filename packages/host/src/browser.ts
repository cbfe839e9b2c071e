// Opens a web page in the user's browser. Runs no shell: the address comes from a server.

import { findProgram } from "./programs/find-program.ts";
import { findHelper, helperEnvironment, type FindHelper } from "./programs/registry/helpers.ts";

export interface BrowserOptions {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For tests. */
  readonly find?: FindHelper;
}

/** Whether a program was started. It outlives us: it is the user's browser. */
export function openBrowser(url: URL, options: BrowserOptions): boolean {
  const { platform, env, find = (name) => findHelper(name, env["PATH"]) } = options;
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  const own = ownBrowser(url.href, env);
  const argv = own ?? systemBrowser(url.href, platform, env, find);
  if (argv === undefined || argv.length === 0) return false;
  try {
    // xdg-open is a script that starts others by name.
    const started = own ? env : helperEnvironment(env);
    Bun.spawn(argv, { env: started, stdio: ["ignore", "ignore", "ignore"], detached: true }).unref();
    return true;
  } catch {
    return false;
  }
}

/** BROWSER may be a list, as for xdg-open, in which `%s` is the address. The first entry counts. */
function ownBrowser(url: string, env: BrowserOptions["env"]): string[] | undefined {
  const [name, ...rest] = (env["BROWSER"] ?? "").split(":")[0]!.trim().split(/\s+/).filter(Boolean);
  const program = name === undefined ? null : findProgram(name, env["PATH"]);
  if (program === null) return name === undefined ? undefined : [];
  const words = [program, ...rest];
  return words.some((word) => word.includes("%s")) ? words.map((word) => word.replaceAll("%s", url)) : [...words, url];
}

function systemBrowser(
  url: string,
  platform: string,
  env: BrowserOptions["env"],
  find: FindHelper,
): string[] | undefined {
  const names = platform === "darwin" ? ["open"] : env["WSL_DISTRO_NAME"] ? ["wslview", "xdg-open"] : ["xdg-open"];
  if (platform === "win32") return ["C:\\Windows\\System32\\rundll32.exe", "url.dll,FileProtocolHandler", url];
  const program = names.map(find).find((each) => each !== null);
  return program ? [program, url] : undefined;
}
