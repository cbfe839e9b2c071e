// PushNotification: reaches a user who is not watching. Where to is the user's choice, in their settings.

import { defineTool, object, oneOf, string, ToolError, type Tool } from "@keelson/engine";
import description from "./push-notification.md" with { type: "text" };

export interface PushNotificationInput {
  readonly message: string;
  readonly status: "proactive";
}

export interface PushNotificationOutput {
  readonly message: string;
  /** It went to a server or to a program of the user. */
  readonly pushSent?: boolean;
  /** It was shown on this machine. */
  readonly localSent?: boolean;
  readonly disabledReason?: string;
  readonly sentAt?: string;
}

export interface Notifier {
  send(message: string, signal: AbortSignal): Promise<Omit<PushNotificationOutput, "message">>;
}

const MAX_LENGTH = 199;

export function pushNotificationTool(notifier: Notifier): Tool<PushNotificationInput, PushNotificationOutput> {
  return defineTool<PushNotificationInput, PushNotificationOutput>({
    name: "PushNotification",
    description,
    input: object({
      message: string("What the user should know, in one line under 200 characters", { maxLength: MAX_LENGTH }),
      status: oneOf(["proactive"], "Always proactive"),
    }),
    repair: (input) => ({ status: "proactive", ...input }),
    check({ message }) {
      if (message.trim() === "") throw new ToolError("The message is empty");
    },
    describe: (input) => input.text("message"),
    access: () => ({ kind: "none" }),
    run: async ({ message }, { signal }) => ({ message, ...(await notifier.send(message, signal)) }),
    show({ pushSent, localSent, disabledReason }) {
      if (pushSent || localSent) return "Notification sent";
      return `Notification not sent: ${disabledReason ?? "no channel could be reached"}`;
    },
  });
}
