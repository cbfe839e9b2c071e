// Why a sign-in failed, in words for the person at the keyboard. What servers say is shown short and in one line.

import { isObject, printableSentence } from "@keelson/protocol";
import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from "@modelcontextprotocol/client";
import { UnreachableError } from "../remote/guarded-fetch.ts";
import { MessageTooLargeError } from "../remote/limit-body.ts";
import type { SignInServer } from "./storage.ts";

export class SignInError extends Error {
  override readonly name = "SignInError";
}

const MAX_LENGTH = 300;
const ISSUER_PROBLEMS = {
  metadata: "The authorization server identifies itself as a different server; not signed in",
  authorization_response:
    "The redirect came from a different authorization server than the one you were sent to; not signed in",
};

export function explainSignIn(error: unknown, { name, url }: SignInServer): SignInError {
  const host = new URL(url).host;
  if (error instanceof SignInError) return new SignInError(oneLine(error.message));
  if (IssuerMismatchError.isInstance(error)) return new SignInError(ISSUER_PROBLEMS[error.kind]);
  if (AuthorizationServerMismatchError.isInstance(error)) {
    return new SignInError(
      `"${host}" now uses another authorization server; run "keelson mcp logout ${name}" first if that is expected`,
    );
  }
  if (InsecureTokenEndpointError.isInstance(error))
    return new SignInError(`The authorization server does not use https`);
  if (RegistrationRejectedError.isInstance(error)) {
    return new SignInError(
      `The authorization server rejected the registration (HTTP ${error.status}); set "oauth.clientId"`,
    );
  }
  if (OAuthError.isInstance(error))
    return new SignInError(oneLine(`The authorization server refused: ${error.message}`));
  if (error instanceof UnreachableError || error instanceof MessageTooLargeError) return new SignInError(error.message);
  const message = invalidField(error) ?? (error instanceof Error ? error.message : String(error));
  if (message.includes("dynamic client registration")) {
    return new SignInError(`The authorization server of "${host}" does not register clients; set "oauth.clientId"`);
  }
  return new SignInError(oneLine(`Cannot sign in to "${host}": ${message}`));
}

/** What is wrong with a server's answer, if its check says so: the message of such an error is a list in JSON. */
function invalidField(error: unknown): string | undefined {
  const issues: unknown = isObject(error) ? error["issues"] : undefined;
  const issue: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (!isObject(issue) || !Array.isArray(issue["path"])) return undefined;
  return `the server's answer is not valid: ${issue["path"].join(".")}: ${String(issue["message"])}`;
}

function oneLine(text: string): string {
  const plain = printableSentence(text);
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain;
}
