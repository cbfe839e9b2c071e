// Signing in with what somebody arrived with.

import { api } from "../connection/api.ts";
import { deviceName } from "../connection/device.ts";
import { letIn, type SignedInReply } from "./passkeys.ts";

export async function useCode(code: string, name: string, remember: boolean): Promise<void> {
  const body = { code, device: deviceName(), remember, ...(name === "" ? {} : { name }) };
  letIn((await api<SignedInReply>("POST", "/v1/auth/code", { body })).body, remember);
}

const TICKET = "keelson-oidc";

/** Leaves the page. The ticket stays in this tab: an answer that comes to another one is worth nothing. */
export async function goToProvider(): Promise<void> {
  const { body } = await api<{ url: string; ticket: string }>("POST", "/v1/auth/oidc/start", { body: {} });
  sessionStorage.setItem(TICKET, body.ticket);
  location.assign(body.url);
}

export async function backFromProvider(answer: string): Promise<void> {
  const ticket = sessionStorage.getItem(TICKET);
  sessionStorage.removeItem(TICKET);
  if (ticket === null) throw new Error("This sign-in began in another tab or browser; start again");
  const body = { ticket, answer, device: deviceName() };
  letIn((await api<SignedInReply>("POST", "/v1/auth/oidc", { body })).body, false);
}
