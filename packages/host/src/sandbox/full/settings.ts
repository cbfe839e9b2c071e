// Converts the `sandbox` settings to the configuration of the sandbox library. Pure.

import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

export interface SandboxBlock {
  readonly enabled?: boolean;
  readonly failIfUnavailable?: boolean;
  readonly autoAllowBashIfSandboxed?: boolean;
  readonly allowUnsandboxedCommands?: boolean;
  readonly excludedCommands?: readonly string[];
  readonly ignoreViolations?: Readonly<Record<string, readonly string[]>>;
  readonly enableWeakerNestedSandbox?: boolean;
  readonly enableWeakerNetworkIsolation?: boolean;
  readonly allowAppleEvents?: boolean;
  readonly bwrapPath?: string;
  readonly socatPath?: string;
  readonly ripgrep?: { readonly command: string; readonly args?: readonly string[] };
  readonly filesystem?: {
    readonly allowWrite?: readonly string[];
    readonly denyWrite?: readonly string[];
    readonly denyRead?: readonly string[];
    readonly allowRead?: readonly string[];
    readonly disabled?: boolean;
  };
  readonly network?: {
    readonly allowedDomains?: readonly string[];
    readonly deniedDomains?: readonly string[];
    readonly allowUnixSockets?: readonly string[];
    readonly allowAllUnixSockets?: boolean;
    readonly allowLocalBinding?: boolean;
    readonly allowMachLookup?: readonly string[];
    readonly httpProxyPort?: number;
    readonly socksProxyPort?: number;
    readonly strictAllowlist?: boolean;
  };
  readonly credentials?: {
    readonly files?: readonly { readonly path: string; readonly mode: "deny" | "mask" }[];
    readonly envVars?: readonly { readonly name: string; readonly mode: "deny" | "mask" }[];
  };
}

export interface SandboxPlaces {
  readonly directories: readonly string[];
  /** Where the session worked before. What is denied there stays so. */
  readonly former?: readonly string[];
  readonly home: string;
  /** Where commands may write temporary files. */
  readonly temporary: readonly string[];
}

/** More paths that this command may not touch. */
export interface Forbidden {
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
}

/** In settings, `//x` is absolute, `~/x` is in the home, and other paths are relative to the session's start folder. */
export function runtimeConfig(
  settings: SandboxBlock,
  places: SandboxPlaces,
  forbidden: Forbidden,
  programs: Readonly<Partial<Record<"ripgrep" | "seccomp" | "bwrap" | "socat", string | null>>> = {},
): SandboxRuntimeConfig {
  const { filesystem = {}, network = {}, credentials } = settings;
  const { directories, former = [] } = places;
  const paths = (list: readonly string[] = []) => list.map((path) => settingPath(path, places));
  const everywhere = (path: string) => [
    ...new Set(
      [directories, ...former.map((folder) => [folder])].map((at) => settingPath(path, { ...places, directories: at })),
    ),
  ];
  const denied = (list: readonly string[] = []) => list.flatMap(everywhere);
  const ripgrep = settings.ripgrep ?? (programs.ripgrep ? { command: programs.ripgrep } : undefined);
  return {
    network: {
      allowedDomains: [...(network.allowedDomains ?? [])],
      deniedDomains: [...(network.deniedDomains ?? [])],
      ...dropUndefined({
        allowUnixSockets: network.allowUnixSockets && paths(network.allowUnixSockets),
        allowAllUnixSockets: network.allowAllUnixSockets,
        allowLocalBinding: network.allowLocalBinding,
        allowMachLookup: network.allowMachLookup && [...network.allowMachLookup],
        httpProxyPort: network.httpProxyPort,
        socksProxyPort: network.socksProxyPort,
        strictAllowlist: network.strictAllowlist,
      }),
    },
    filesystem: {
      denyRead: [...denied(filesystem.denyRead), ...forbidden.denyRead],
      allowWrite: [...directories, ...places.temporary, ...paths(filesystem.allowWrite)],
      denyWrite: [...denied(filesystem.denyWrite), ...forbidden.denyWrite],
      ...dropUndefined({
        allowRead: filesystem.allowRead && paths(filesystem.allowRead),
        disabled: filesystem.disabled,
      }),
    },
    ...dropUndefined({
      ignoreViolations: settings.ignoreViolations && copyLists(settings.ignoreViolations),
      enableWeakerNestedSandbox: settings.enableWeakerNestedSandbox,
      enableWeakerNetworkIsolation: settings.enableWeakerNetworkIsolation,
      allowAppleEvents: settings.allowAppleEvents,
      bwrapPath: settings.bwrapPath ?? programs.bwrap ?? undefined,
      socatPath: settings.socatPath ?? programs.socat ?? undefined,
      ripgrep: ripgrep && { command: ripgrep.command, args: [...("args" in ripgrep ? (ripgrep.args ?? []) : [])] },
      seccomp: programs.seccomp ? { applyPath: programs.seccomp } : undefined,
      credentials: credentials && {
        files: (credentials.files ?? []).flatMap((file) => everywhere(file.path).map((path) => ({ ...file, path }))),
        envVars: (credentials.envVars ?? []).map((variable) => ({ ...variable })),
      },
    }),
  };
}

function settingPath(path: string, { directories, home }: SandboxPlaces): string {
  if (path === "~" || path.startsWith("~/")) return join(home || homedir(), path.slice(1));
  if (path.startsWith("//")) return path.slice(1);
  return isAbsolute(path) ? path : resolve(directories[0] ?? "/", path);
}

function copyLists(lists: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([key, list]) => [key, [...list]]));
}

function dropUndefined<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
