// Sorts the hooks of all settings files and plugins into those that run and those that do not, with the reason. Pure; the handlers
// were checked when their files were read.

import { HOOK_EVENTS, type HookRegistration } from "@keelson/protocol";
import type { PluginHooks } from "../plugins/collect.ts";
import type { Scope } from "../scopes/scopes.ts";
import type { Held } from "../trust/belief.ts";
import type { Trust } from "../trust/trust.ts";
import type { ConfiguredHooks } from "./snapshot.ts";

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
  readonly plugins?: readonly PluginHooks[];
  /** What nobody was asked about. */
  readonly held?: readonly Held[];
}

export function collectHooks(question: HookQuestion): ConfiguredHooks {
  const active: HookRegistration[] = [];
  const off: { registration: HookRegistration; why: string }[] = [];
  const switches = switchesOf(question.scopes);
  for (const scope of question.read) {
    const found = registrationsOf(scope);
    if (found.length === 0) continue;
    const why = whyOff(scope, question, switches);
    for (const registration of found) {
      const held = question.held?.find(({ handlers }) => handlers?.includes(registration.handler));
      const reason = why ?? held?.why ?? whyNoWorktrees(registration, question.trust);
      if (reason === undefined) active.push(registration);
      else off.push({ registration, why: reason });
    }
  }
  for (const { registrations, managed } of question.plugins ?? []) {
    const why = whyPluginOff(managed, switches);
    if (why === undefined) active.push(...registrations);
    else off.push(...registrations.map((registration) => ({ registration, why })));
  }
  return { active, off };
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

interface Switches {
  readonly disabledByPolicy: boolean;
  /** The file that sets disableAllHooks. */
  readonly disabledBy: string | undefined;
  readonly managedOnly: boolean;
  readonly pluginsOnly: boolean;
}

function switchesOf(scopes: readonly Scope[]): Switches {
  const policies = scopes.filter(({ source }) => source === "policySettings");
  const decisive = scopes.findLast(({ settings }) => settings.disableAllHooks !== undefined);
  const disabled = decisive?.settings.disableAllHooks === true;
  const byPolicy = disabled && decisive.source === "policySettings";
  return {
    disabledByPolicy: byPolicy,
    disabledBy: disabled && !byPolicy ? (decisive.file ?? "--settings") : undefined,
    managedOnly: policies.some(({ settings }) => settings.allowManagedHooksOnly === true),
    pluginsOnly: policies.some(({ settings }) => namesHooks(settings.strictPluginOnlyCustomization)),
  };
}

/** True for `true` and for a list with "hooks". An invalid value also restricts: the administrator meant to. */
function namesHooks(value: unknown): boolean {
  return Array.isArray(value) ? value.includes("hooks") : value !== undefined && value !== false;
}

const DISABLED_BY_POLICY = "Managed settings turn off all hooks (disableAllHooks)";
const MANAGED_ONLY = "Managed settings allow only managed hooks (allowManagedHooksOnly)";

/** `managed`: an administrator enabled the plugin. `--bare` and `--safe-mode` leave out plugins, not only their hooks. */
function whyPluginOff(managed: boolean, switches: Switches): string | undefined {
  if (switches.disabledByPolicy) return DISABLED_BY_POLICY;
  if (managed) return undefined;
  if (switches.managedOnly) return MANAGED_ONLY;
  return switches.disabledBy === undefined ? undefined : `disableAllHooks is on in ${switches.disabledBy}`;
}

function whyOff({ source }: Scope, question: HookQuestion, switches: Switches): string | undefined {
  const { bare, safe, requireTrust, trust } = question;
  if (switches.disabledByPolicy) return DISABLED_BY_POLICY;
  // Only the administrator can turn off managed hooks; --bare does not.
  if (source === "policySettings") return undefined;
  if (switches.managedOnly) return MANAGED_ONLY;
  if (switches.pluginsOnly) return "Managed settings allow only hooks from plugins (strictPluginOnlyCustomization)";
  if (switches.disabledBy !== undefined) return `disableAllHooks is on in ${switches.disabledBy}`;
  if (safe) return "--safe-mode skips all hooks except managed ones";
  if (bare && source !== "flagSettings") return "--bare skips the hooks in settings files";
  if (isInFolder(source) && requireTrust && !trust.trusted) {
    return `Trust is required and this folder is not trusted; to trust it, ${trust.fix}`;
  }
  return undefined;
}
