// Which optional tools the settings, rules and variables of a session ask for.

import type { Snapshot } from "@keelson/config";
import { isVariableOn } from "@keelson/protocol";

interface NotificationSettings {
  readonly desktop?: boolean;
  readonly command?: readonly string[];
  readonly url?: string;
  readonly tokenVariable?: string;
}

/** By name: whether a session is to have the tool, apart from `--tools`. */
export const WANTED: Readonly<Record<string, (snapshot: Snapshot) => boolean>> = {
  PowerShell: ({ env }) => isVariableOn(env["CLAUDE_CODE_USE_POWERSHELL_TOOL"]),
  PushNotification: wantsNotifications,
  RemoteTrigger: (snapshot) => routinesServer(snapshot).url !== undefined,
  ReportFindings: ({ rules }) => rules.some(({ behavior, tool }) => behavior === "allow" && tool === "ReportFindings"),
  ShareOnboardingGuide: ({ settings }) => onboardingSettings(settings).url !== undefined,
};

export const notificationSettings = (settings: Snapshot["settings"]) =>
  (settings["notifications"] ?? {}) as NotificationSettings;

/** Whether the settings ask for notifications. A channel is enough, unless the switch says no. */
export function wantsNotifications({ settings }: Pick<Snapshot, "settings">): boolean {
  const { desktop, command, url } = notificationSettings(settings);
  const isOn = settings["agentPushNotifEnabled"] as boolean | undefined;
  return isOn ?? (desktop === true || (command?.length ?? 0) > 0 || url !== undefined);
}

export const onboardingSettings = (settings: Snapshot["settings"]) =>
  (settings["onboarding"] ?? {}) as { readonly url?: string; readonly tokenVariable?: string };

export interface RoutinesAddress {
  readonly url?: string;
  readonly token?: string;
}

/** Only from the user: a folder must not choose where the token goes. */
export function routinesServer({ settings, env }: Pick<Snapshot, "settings" | "env">): RoutinesAddress {
  const own = (settings["routines"] ?? {}) as { readonly url?: string; readonly tokenVariable?: string };
  const url = env["KEELSON_ROUTINES_URL"] || own.url;
  const token = env["KEELSON_ROUTINES_TOKEN"] || env[own.tokenVariable ?? ""];
  return { ...(url && { url }), ...(token && { token }) };
}
