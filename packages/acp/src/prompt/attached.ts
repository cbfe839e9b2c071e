// What an editor attached to a prompt, for a session that is loaded: as what it was.

import { splitAttached } from "@keelson/protocol/attached";
import type { ContentPart } from "../schema/types.ts";

export const attachedIn = (text: string): readonly ContentPart[] =>
  splitAttached(text).flatMap((part): readonly ContentPart[] => {
    if (typeof part === "string") return part.trim() === "" ? [] : [{ type: "text", text: part }];
    return [{ type: "resource", resource: part }];
  });
