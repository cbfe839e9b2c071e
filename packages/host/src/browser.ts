// Opens a web page in the user's browser. Runs no shell: the address comes from a server.

import { findProgram } from "./programs/find-program.ts";

export interface BrowserOptions {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Whether a program was started. It outlives us: it is the user's browser. */
export function openBrowser(url: URL, { platform, env }: BrowserOptions): boolean {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  const argv = browserCommand(url.href, platform, env);
  const program = argv && findProgram(argv[0]!, env["PATH"]);
  if (!argv || !program) return false;
  try {
    Bun.spawn([program, ...argv.slice(1)], { env, stdio: ["ignore", "ignore", "ignore"], detached: true }).unref();
    return true;
  } catch {
    return false;
  }
}

/** BROWSER may be a list, as for xdg-open, in which `%s` is the address. The first entry counts. */
function browserCommand(url: string, platform: string, env: BrowserOptions["env"]): string[] | undefined {
  const words = (env["BROWSER"] ?? "").split(":")[0]!.trim().split(/\s+/).filter(Boolean);
  if (words.length > 0) {
    return words.some((word) => word.includes("%s"))
      ? words.map((word) => word.replaceAll("%s", url))
      : [...words, url];
  }
  if (platform === "darwin") return ["open", url];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return env["WSL_DISTRO_NAME"] && findProgram("wslview", env["PATH"]) ? ["wslview", url] : ["xdg-open", url];
}
