// Sorts the hooks of all settings files and plugins into those that run and those that do not, with the reason. Pure; the handlers
// were checked when their files were read.

import { HOOK_EVENTS, type HookRegistration, type Settings, type SettingsKey } from "@keelson/protocol";
import { mergeSettings } from "../scopes/merge.ts";
import type { Scope } from "../scopes/scopes.ts";
import type { Held } from "../trust/belief.ts";
import type { Trust } from "../trust/trust.ts";
import type { ConfiguredHooks, HookPolicy } from "./snapshot.ts";

export interface HookQuestion {
  /** Every file as read, lowest precedence first. */
  readonly read: readonly Scope[];
  /** The same without what a folder may not set, or `--bare` skips. */
  readonly scopes: readonly Scope[];
  readonly bare: boolean;
  readonly safe: boolean;
  readonly requireTrust: boolean;
  readonly trust: Pick<Trust, "trusted" | "fix">;
  /** Of the plugins that are used. */
  readonly plugins?: readonly HookRegistration[];
  /** What nobody was asked about. */
  readonly held?: readonly Held[];
}

export function collectHooks(question: HookQuestion): ConfiguredHooks {
  const active: HookRegistration[] = [];
  const off: { registration: HookRegistration; why: string }[] = [];
  const policy = policyOf(question);
  for (const registration of [...question.read.flatMap(registrationsOf), ...(question.plugins ?? [])]) {
    const held = question.held?.find(({ handlers }) => handlers?.includes(registration.handler));
    const why = whyHookOff(registration, policy) ?? held?.why ?? whyNoWorktrees(registration, question.trust);
    if (why === undefined) active.push(registration);
    else off.push({ registration, why });
  }
  return { active, off, policy };
}

/** Such a hook would choose the folder that the session works in. */
function whyNoWorktrees({ event, source }: HookRegistration, { trusted, fix }: HookQuestion["trust"]) {
  if (event !== "WorktreeCreate" || trusted || !isInFolder(source)) return undefined;
  return `A folder that is not trusted does not choose where a session works; to trust it, ${fix}`;
}

const isInFolder = (source: HookRegistration["source"]) => source === "projectSettings" || source === "localSettings";

function registrationsOf({ settings, source, file }: Scope): HookRegistration[] {
  const { hooks = {} } = settings;
  return HOOK_EVENTS.flatMap((event) =>
    (hooks[event] ?? []).flatMap(({ matcher, hooks: handlers }) =>
      handlers.map((handler) => ({
        event,
        ...(matcher === undefined ? {} : { matcher }),
        handler,
        source,
        ...(file === undefined ? {} : { file }),
      })),
    ),
  );
}

/** Their commands run by themselves, as hooks do. */
const LIKE_HOOKS: ReadonlySet<string> = new Set<SettingsKey>(["statusLine", "subagentStatusLine", "fileSuggestion"]);

/** What turns off hooks, or those of others than the administrator, also turns off the commands that are like them. */
export function withoutCommandsLikeHooks(
  settings: Settings,
  scopes: readonly Scope[],
  { disabledByPolicy, disabledBy, managedOnly }: HookPolicy,
): Settings {
  if (!disabledByPolicy && disabledBy === undefined && !managedOnly) return settings;
  const managed = disabledByPolicy ? [] : scopes.filter(({ source }) => source === "policySettings");
  const kept = Object.entries(mergeSettings(managed.map((scope) => scope.settings)));
  return Object.fromEntries([
    ...Object.entries(settings).filter(([key]) => !LIKE_HOOKS.has(key)),
    ...kept.filter(([key]) => LIKE_HOOKS.has(key)),
  ]);
}

function policyOf({ scopes, bare, safe, requireTrust, trust }: HookQuestion): HookPolicy {
  const policies = scopes.filter(({ source }) => source === "policySettings");
  const decisive = scopes.findLast(({ settings }) => settings.disableAllHooks !== undefined);
  const disabled = decisive?.settings.disableAllHooks === true;
  const byPolicy = disabled && decisive.source === "policySettings";
  return {
    disabledByPolicy: byPolicy,
    ...(disabled && !byPolicy && { disabledBy: decisive.file ?? "--settings" }),
    managedOnly: policies.some(({ settings }) => settings.allowManagedHooksOnly === true),
    pluginsOnly: policies.some(({ settings }) => namesHooks(settings.strictPluginOnlyCustomization)),
    bare,
    safe,
    ...(requireTrust && !trust.trusted && { toTrust: trust.fix }),
  };
}

/** True for `true` and for a list with "hooks". An invalid value also restricts: the administrator meant to. */
function namesHooks(value: unknown): boolean {
  return Array.isArray(value) ? value.includes("hooks") : value !== undefined && value !== false;
}

/**
 * Why a hook may not be registered; undefined if it may. Every hook passes here, wherever it comes from: a new source needs
 * no rule of its own.
 */
export function whyHookOff(
  { source, managed, plugin }: Pick<HookRegistration, "source" | "managed" | "plugin">,
  policy: HookPolicy,
): string | undefined {
  // They run in the application that started Keelson, and are its own.
  if (source === "sdk") return undefined;
  if (policy.disabledByPolicy) return "Managed settings turn off all hooks (disableAllHooks)";
  // Only the administrator can turn off managed hooks; --bare does not.
  if (managed || source === "policySettings") return undefined;
  if (policy.managedOnly) return "Managed settings allow only managed hooks (allowManagedHooksOnly)";
  if (policy.pluginsOnly && plugin === undefined)
    return "Managed settings allow only hooks from plugins (strictPluginOnlyCustomization)";
  if (policy.disabledBy !== undefined) return `disableAllHooks is on in ${policy.disabledBy}`;
  if (policy.safe) return "--safe-mode skips all hooks except managed ones";
  if (policy.bare && FILES.has(source)) return "--bare skips the hooks in settings files";
  if (policy.toTrust !== undefined && isInFolder(source))
    return `Trust is required and this folder is not trusted; to trust it, ${policy.toTrust}`;
  return undefined;
}

const FILES: ReadonlySet<HookRegistration["source"]> = new Set(["userSettings", "projectSettings", "localSettings"]);
