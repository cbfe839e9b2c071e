// The hooks of all settings files, each with where it stands, in two lists: those that run, and those that do not and
// why. Pure; the handlers themselves were checked when their files were.

import { HOOK_EVENTS, isObject, type HookEvent, type HookHandler, type HookRegistration } from "@keelson/protocol";
import type { Scope } from "./scopes/scopes.ts";
import type { ConfiguredHooks } from "./snapshot.ts";

export interface HookQuestion {
  /** Every file as it was read, lowest precedence first. */
  readonly read: readonly Scope[];
  /** The same without what a folder may not decide, or `--bare` leaves out. */
  readonly scopes: readonly Scope[];
  readonly bare: boolean;
  readonly safe: boolean;
  readonly requireTrust: boolean;
  readonly trust: { readonly trusted: boolean; readonly fix: string };
}

export function collectHooks(question: HookQuestion): ConfiguredHooks {
  const active: HookRegistration[] = [];
  const off: { registration: HookRegistration; why: string }[] = [];
  const switches = switchesOf(question.scopes);
  for (const scope of question.read) {
    const found = registrationsOf(scope);
    if (found.length === 0) continue;
    const why = whyOff(scope, question, switches);
    if (why === undefined) active.push(...found);
    else off.push(...found.map((registration) => ({ registration, why })));
  }
  return { active, off };
}

function registrationsOf({ settings, source, file }: Scope): HookRegistration[] {
  const { hooks } = settings;
  if (!isObject(hooks)) return [];
  return HOOK_EVENTS.filter((event) => Array.isArray(hooks[event])).flatMap((event) =>
    (hooks[event] as readonly Group[]).flatMap(({ matcher, hooks: handlers }) =>
      handlers.map((handler) => ({
        event: event as HookEvent,
        ...(matcher === undefined ? {} : { matcher }),
        handler,
        source,
        ...(file === undefined ? {} : { file }),
      })),
    ),
  );
}

/** As `checkHooks` left it. */
interface Group {
  readonly matcher?: string;
  readonly hooks: readonly HookHandler[];
}

interface Switches {
  readonly disabledByPolicy: boolean;
  /** The file that says so. */
  readonly disabledBy: string | undefined;
  readonly managedOnly: boolean;
  readonly pluginsOnly: boolean;
}

function switchesOf(scopes: readonly Scope[]): Switches {
  const policies = scopes.filter(({ source }) => source === "policySettings");
  const said = scopes.findLast(({ settings }) => settings["disableAllHooks"] !== undefined);
  const disabled = said?.settings["disableAllHooks"] === true;
  const byPolicy = disabled && said.source === "policySettings";
  return {
    disabledByPolicy: byPolicy,
    disabledBy: disabled && !byPolicy ? (said.file ?? "--settings") : undefined,
    managedOnly: policies.some(({ settings }) => settings["allowManagedHooksOnly"] === true),
    pluginsOnly: policies.some(({ settings }) => namesHooks(settings["strictPluginOnlyCustomization"])),
  };
}

/** `true`, or a list with "hooks" in it. What cannot be read counts: the administrator wanted something forbidden. */
function namesHooks(value: unknown): boolean {
  return Array.isArray(value) ? value.includes("hooks") : value !== undefined && value !== false;
}

function whyOff({ source }: Scope, question: HookQuestion, switches: Switches): string | undefined {
  const { bare, safe, requireTrust, trust } = question;
  if (switches.disabledByPolicy) return "Managed settings switch all hooks off (disableAllHooks)";
  // Nobody but the administrator can stop the administrator's hooks, not with --bare either.
  if (source === "policySettings") return undefined;
  if (switches.managedOnly) return "Managed settings allow managed hooks only (allowManagedHooksOnly)";
  if (switches.pluginsOnly) return "Managed settings want hooks from plugins only (strictPluginOnlyCustomization)";
  if (switches.disabledBy !== undefined) return `disableAllHooks is on in ${switches.disabledBy}`;
  if (safe) return "--safe-mode leaves all hooks out but managed ones";
  if (bare && source !== "flagSettings") return "--bare leaves the hooks of settings files out";
  const inFolder = source === "projectSettings" || source === "localSettings";
  if (inFolder && requireTrust && !trust.trusted) {
    return `Trust is required and this folder is not trusted; to trust it, ${trust.fix}`;
  }
  return undefined;
}
