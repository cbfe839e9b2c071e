// Tools that are offered only if a variable, a setting or `--tools` asks for them. Loaded only then.

export { powershellTool } from "./powershell/powershell.ts";
export {
  pushNotificationTool,
  type Notifier,
  type PushNotificationOutput,
} from "./push-notification/push-notification.ts";
export { remoteTriggerTool, type RoutinesClient } from "./remote-trigger/remote-trigger.ts";
export { reportFindingsTool } from "./report-findings/report-findings.ts";
export { shareOnboardingTool, type GuideServer } from "./share-onboarding/share-onboarding.ts";
