// Makes the optional tools and gives each what it needs of the session.

import type { Tool } from "@keelson/engine";
import { findProgram, pathOutside } from "@keelson/host";
import {
  powershellTool,
  pushNotificationTool,
  remoteTriggerTool,
  reportFindingsTool,
  shareOnboardingTool,
} from "@keelson/tools/optional";
import { backgroundAllowed } from "../machine/pool.ts";
import { createGuideServer } from "./guide-server.ts";
import { createNotifier } from "./notifier.ts";
import { createRoutinesClient } from "./routines-client.ts";
import { saveSecrets } from "./routine-secrets.ts";
import type { OptionalToolParts } from "./optional-tools.ts";

const MAKERS: Readonly<Record<string, (parts: OptionalToolParts) => Tool>> = {
  PowerShell: ({ storage }) => {
    const { state } = storage;
    return powershellTool({
      find: () => findPowerShell(state.snapshot.childEnv["PATH"], state.root),
      background: backgroundAllowed(state.snapshot.env),
    });
  },

  PushNotification: ({ storage, machine, hooks }) => {
    const { state, now } = storage;
    return pushNotificationTool(
      createNotifier({
        snapshot: () => state.snapshot,
        project: state.root,
        terminal: process.stderr,
        programs: () => machine.governing.programs,
        fire: hooks.fire,
        now,
      }),
    );
  },

  RemoteTrigger: ({ storage }) => {
    const { state, place, now } = storage;
    return remoteTriggerTool(
      createRoutinesClient({ snapshot: () => state.snapshot, sessionId: () => place.id, now, saveSecrets }),
    );
  },

  ReportFindings: () => reportFindingsTool(),

  ShareOnboardingGuide: ({ storage }) => shareOnboardingTool(createGuideServer(() => storage.state.snapshot)),
};

export function makeTools(names: readonly string[], parts: OptionalToolParts): Tool[] {
  return names.map((name) => MAKERS[name]!(parts));
}

/** A program inside the project is never used. */
function findPowerShell(path: string | undefined, project: string): string | null {
  const rest = pathOutside(path, project);
  return findProgram("pwsh", rest) ?? findProgram("powershell", rest);
}
