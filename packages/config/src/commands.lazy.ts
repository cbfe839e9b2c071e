// Functions that a start does not need; each one is loaded when it is called.

import type { inspect as Inspect, settingsFiles as SettingsFiles } from "./inspect/inspect.ts";
import type { locateHooks as LocateHooks, locateRules as LocateRules } from "./inspect/locate.ts";
import type { GitPlaces } from "./write/git-ignore.ts";
import type { setValue as SetValue } from "./write/set-value.ts";
import type {
  revokeTrust as RevokeTrust,
  trustedFolders as TrustedFolders,
  trustFolder as TrustFolder,
} from "./trust/trusted-folders.ts";
import type { whyNotWritten as WhyNotWritten } from "./write/why-not-written.ts";
import type { writeRules as WriteRules } from "./write/write-rules.ts";

export const inspect: typeof Inspect = async (options) => (await import("./inspect/inspect.ts")).inspect(options);

export const settingsFiles: typeof SettingsFiles = async (options) =>
  (await import("./inspect/inspect.ts")).settingsFiles(options);

export const locateRules: typeof LocateRules = async (snapshot) =>
  (await import("./inspect/locate.ts")).locateRules(snapshot);

export const locateHooks: typeof LocateHooks = async (snapshot) =>
  (await import("./inspect/locate.ts")).locateHooks(snapshot);

export const setValue: typeof SetValue = async (request, places) =>
  (await import("./write/set-value.ts")).setValue(request, places);

export const writeRules: typeof WriteRules = async (updates, places) =>
  (await import("./write/write-rules.ts")).writeRules(updates, places);

/** The user's ignore file, to which `writeRules` adds local settings. */
export const userIgnoreFile = async (places: GitPlaces): Promise<string> =>
  (await import("./write/git-ignore.ts")).globalIgnoreFile(places);

export const trustFolder: typeof TrustFolder = async (place) =>
  (await import("./trust/trusted-folders.ts")).trustFolder(place);

export const trustedFolders: typeof TrustedFolders = async (place) =>
  (await import("./trust/trusted-folders.ts")).trustedFolders(place);

export const revokeTrust: typeof RevokeTrust = async (place) =>
  (await import("./trust/trusted-folders.ts")).revokeTrust(place);

export const whyNotWritten = async (...error: Parameters<typeof WhyNotWritten>): Promise<string> =>
  (await import("./write/why-not-written.ts")).whyNotWritten(...error);
