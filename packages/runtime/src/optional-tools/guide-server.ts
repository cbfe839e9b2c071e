// Uploads onboarding guides to the one address that the user's settings name.

import type { Snapshot } from "@keelson/config";
import { ToolError } from "@keelson/engine";
import { callService, ServiceCallError } from "@keelson/host/service-call";
import { isObject, tryParse } from "@keelson/protocol";
import type { GuideServer } from "@keelson/tools/optional";
import { onboardingSettings } from "./wanted.ts";

const TYPES: Readonly<Record<string, string>> = { zip: "application/zip", md: "text/markdown; charset=utf-8" };

export function createGuideServer(snapshot: () => Pick<Snapshot, "settings" | "env">): GuideServer {
  const address = () => onboardingSettings(snapshot().settings).url;
  return {
    address,
    async upload(bundle, name, signal) {
      const { settings, env } = snapshot();
      const { url = "", tokenVariable = "" } = onboardingSettings(settings);
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)]!;
      const headers = {
        accept: "application/json",
        "content-type": type,
        "content-disposition": `attachment; filename="${name}"`,
      };
      try {
        const token = env[tokenVariable] || undefined;
        const answer = await callService({
          url,
          token,
          method: "POST",
          headers,
          body: bundle,
          signal,
          timeoutMs: 120_000,
        });
        if (answer.status >= 300)
          throw new ToolError(`The upload failed: the server answered with status ${answer.status}`);
        return [linkIn(answer.text), answer.headers.get("location")].find(isWebAddress) ?? undefined;
      } catch (error) {
        if (error instanceof ServiceCallError) throw new ToolError(`The upload failed: ${error.message}`);
        throw error;
      }
    },
  };
}

function linkIn(text: string): unknown {
  const answer = tryParse(text);
  return isObject(answer) ? answer["url"] : undefined;
}

/** Only what a browser opens. */
function isWebAddress(url: unknown): url is string {
  return typeof url === "string" && /^https?:\/\/\S{1,2000}$/.test(url);
}
