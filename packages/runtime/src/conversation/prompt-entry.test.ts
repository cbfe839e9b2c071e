import { expect, test } from "bun:test";
import type { ChainEntry } from "@keelson/protocol";
import { isAddedForPrompt } from "./prompt-entry.ts";

test.each([
  [{ type: "hook_additional_context", content: ["x"] }, true],
  [{ type: "hook_additional_context", content: ["x"], toolUseID: "call_1" }, false],
  [{ type: "file", filename: "/p/a" }, true],
  [{ type: "date" }, false],
])(
  "going back to a prompt takes away what was added for it, not what belongs to a call before it: %j",
  (attachment, is) => {
    expect(isAddedForPrompt({ type: "attachment", attachment } as unknown as ChainEntry)).toBe(is);
  },
);
