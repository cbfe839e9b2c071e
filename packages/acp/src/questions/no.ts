// The answers that are a no. Everything that an editor says and that is not clearly something else becomes one.

import type { JsonObject } from "@keelson/protocol";

export const NO: JsonObject = { behavior: "deny", message: "The user did not allow this call." };

export const NO_AND_STOP: JsonObject = {
  behavior: "deny",
  message: "The call was not made. Stop here and wait until the user says how to continue.",
  interrupt: true,
};
