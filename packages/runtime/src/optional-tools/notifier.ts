// Sends the model's notifications to where the user's settings say, at most so many in an hour.

import type { Snapshot } from "@keelson/config";
import {
  notifyByHttp,
  notifyByProgram,
  notifyDesktop,
  notifyTerminal,
  type BellTarget,
  type Notice,
} from "@keelson/host/notify";
import type { Programs } from "@keelson/host/programs";
import type { HookEvent, JsonObject } from "@keelson/protocol";
import type { Notifier } from "@keelson/tools/optional";
import { notificationSettings, wantsNotifications } from "./wanted.ts";

export interface NotifierParts {
  snapshot(): Pick<Snapshot, "settings" | "env" | "childEnv">;
  /** Programs inside it are not used. */
  readonly project: string;
  readonly terminal: BellTarget;
  programs(): Pick<Programs, "helper" | "configured">;
  fire(event: HookEvent, input: JsonObject, signal: AbortSignal): Promise<unknown>;
  now(): number;
}

const TITLE = "Keelson";
const HOUR_MS = 3_600_000;
const MOST_IN_AN_HOUR = 30;

export function createNotifier({ snapshot, project, terminal, programs, fire, now }: NotifierParts): Notifier {
  let sent: number[] = [];
  const run = async ([name, ...args]: readonly string[], notice: Notice, signal: AbortSignal) => {
    const { childEnv } = snapshot();
    const found = programs().configured(name!, { path: childEnv["PATH"], cwd: project });
    if ("problem" in found) return found.problem;
    return notifyByProgram(notice, [found.path, ...args], childEnv, signal);
  };
  return {
    async send(message, signal) {
      const { settings, env, childEnv } = snapshot();
      if (!wantsNotifications({ settings })) {
        return { disabledReason: 'notifications are off; set "agentPushNotifEnabled": true in the user settings' };
      }
      sent = sent.filter((time) => now() - time < HOUR_MS);
      if (sent.length >= MOST_IN_AN_HOUR) {
        return { disabledReason: `${MOST_IN_AN_HOUR} notifications were sent within an hour, which is the limit` };
      }
      sent.push(now());
      const notice = { title: TITLE, message };
      const { desktop, command = [], url, tokenVariable } = notificationSettings(settings);
      const channel = settings["preferredNotifChannel"] as string | undefined;
      const [shown, ran, posted] = await Promise.all([
        desktop ? notifyDesktop(notice, { env: childEnv, find: programs().helper, signal }) : false,
        command.length > 0 ? run(command, notice, signal) : undefined,
        url === undefined ? undefined : notifyByHttp(notice, { url, token: tokenFrom(env, tokenVariable) }, signal),
        fire("Notification", { message, title: TITLE, notification_type: "agent_push" }, signal),
      ]);
      const isInTerminal = notifyTerminal(notice, { channel, env: childEnv, terminal });
      const pushSent = ran === true || posted === true;
      const localSent = shown || isInTerminal;
      if (pushSent || localSent) return { pushSent, localSent, sentAt: new Date(now()).toISOString() };
      return { pushSent, localSent, disabledReason: why({ desktop, ran, posted }) };
    },
  };
}

function tokenFrom(env: Snapshot["env"], name: string | undefined): string | undefined {
  return name === undefined ? undefined : env[name] || undefined;
}

function why({
  desktop,
  ran,
  posted,
}: {
  desktop?: boolean | undefined;
  ran?: boolean | string | undefined;
  posted?: true | string | undefined;
}): string {
  const failed = [
    ...(typeof posted === "string" ? [`notifications.url: ${posted}`] : []),
    ...(ran === false ? ["notifications.command failed"] : []),
    ...(typeof ran === "string" ? [`notifications.command: ${ran}`] : []),
    ...(desktop ? ["notifications.desktop: neither notify-send nor osascript worked"] : []),
  ];
  if (failed.length > 0) return failed.join("; ");
  return "no terminal is attached; set notifications.desktop, notifications.command or notifications.url in the user settings";
}
