// What to do about a run that failed, in one line: who was asked, with the key from where, and the command that helps. The
// answer of the provider itself is above it.

import type { ReplyTo, ResultMessage } from "@keelson/protocol";

export type AskedProvider = NonNullable<ReplyTo<"get_session_info">["provider"]>;

/** Undefined if there is nothing to add. `asked` is who was asked, if it is known. */
export function nextStep(result: ResultMessage, asked: AskedProvider | undefined): string | undefined {
  if (!result.is_error || result.subtype !== "success") return undefined;
  const { api_error_status: status, result: text = "" } = result;
  const at = asked?.address ? ` at ${asked.address}` : "";
  const who = `${asked?.title ?? "The provider"}${at}`;
  if (text.startsWith("Prompt is too long"))
    return "The conversation is larger than the model reads: /compact makes it shorter, /rewind goes back before the last prompt";
  if (status === 401 || status === 403 || text.startsWith("Failed to authenticate"))
    return `${who} did not accept ${keyOf(asked)}: ${loginStep(asked)}`;
  if (status === 402) return `${who} requires payment: add credit there, or choose another provider with /model`;
  if (status === 404) return `${who} may not have the model "${asked?.model ?? ""}": choose another with /model`;
  if (status === 429 || status === 529)
    return `${who} is limiting requests: send the prompt again later, or choose another model with /model`;
  if (status !== null && status !== undefined && status >= 500)
    return `${who} failed: send the prompt again, or choose another provider with /model`;
  if (status === 400)
    return `${who} refused the request: /rewind goes back before the last prompt, /model chooses another model`;
  if (UNREACHABLE.test(text))
    return "Send the prompt again when the server can be reached, or choose another provider with /login";
  return undefined;
}

const UNREACHABLE =
  /Could not reach|Nothing is listening|did not answer within|Cannot verify the certificate|does not speak TLS/;

function keyOf(asked: AskedProvider | undefined): string {
  if (asked === undefined) return "the key";
  if (asked.credentials === null) return "a request without a key";
  return asked.credentials === "keychain" ? "the stored key" : `the key from ${asked.credentials}`;
}

/** A variable counts before a key that is stored, so it has to be changed where it is set. */
function loginStep(asked: AskedProvider | undefined): string {
  if (asked?.takesKey !== false) return "/login takes another";
  return asked.credentials === null
    ? "/login chooses another provider"
    : `change it where it is set, or choose another provider with /login`;
}
