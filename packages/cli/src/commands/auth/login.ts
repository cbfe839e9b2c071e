// keelson auth login and logout: a provider's key in the secret store.

import { ownEnvironment, type Snapshot } from "@keelson/config";
import { UsageError } from "../../args/invocation.ts";
import { printWarning, type ProcessIO } from "../../process/process-io.ts";
import type { Invoked } from "../group.ts";
import { createLines } from "../mcp/sign-in/typed-lines.ts";
import { visible } from "../permissions/words.ts";
import { authCall } from "./provider.ts";

const MAX_KEY_LENGTH = 16_384;

export async function authLogin(call: Invoked): Promise<number> {
  const { io } = call;
  const { snapshot, options, provider = "anthropic" } = await authCall(call, "usage: keelson auth login [provider]");
  if (provider === "vertex")
    throw new UsageError("vertex does not use keys; to sign in, run: gcloud auth application-default login");
  const key = await readKey(provider, io);
  if (key === "") throw new UsageError("no key was given; type it, or pipe it in");
  await storeKey(provider, key, snapshot);
  await io.write(`Stored the key for ${visible(provider)}\n`);
  const { providerStates } = await import("@keelson/model/choice");
  const [state] = providerStates(provider, options);
  if (state?.credentials && state.credentials !== "keychain")
    printWarning(io, `${state.credentials} is set, and takes precedence over the stored key`);
  return 0;
}

/** Throws UsageError if it cannot be one. */
export async function storeKey(provider: string, key: string, snapshot: Snapshot): Promise<void> {
  checkKeyForm(key);
  const { store, name } = await secretOf(provider, snapshot);
  await store.write(name, key);
}

/** Throws UsageError if it cannot be a key. */
export function checkKeyForm(key: string): void {
  // oxlint-disable-next-line no-control-regex
  if (key.length > MAX_KEY_LENGTH || /[\u0000-\u0020\u007f]/.test(key))
    throw new UsageError("this is not a key: it has spaces or line breaks, or is too long");
}

export async function authLogout(call: Invoked): Promise<number> {
  const { snapshot, provider = "anthropic" } = await authCall(call, "usage: keelson auth logout [provider]");
  const isThere = await removeStoredKey(provider, snapshot);
  await call.io.write(`${isThere ? "Removed the stored key" : "No key is stored"} for ${visible(provider)}\n`);
  return 0;
}

/** False if none is stored. */
export async function removeStoredKey(provider: string, snapshot: Snapshot): Promise<boolean> {
  const { hasSecret } = await import("@keelson/host/secrets");
  const { store, name } = await secretOf(provider, snapshot);
  const isThere = hasSecret(snapshot.configDir, name);
  if (isThere) await store.remove(name);
  return isThere;
}

async function secretOf(provider: string, snapshot: Snapshot) {
  const { configDir, origin } = snapshot;
  const { openSecretStore, providerSecretKey } = await import("@keelson/host/secrets");
  const store = openSecretStore({ configDir, env: ownEnvironment(snapshot), platform: origin.platform });
  return { store, name: providerSecretKey(provider) };
}

/** Hidden while it is typed; from a pipe, everything that comes. */
async function readKey(provider: string, io: ProcessIO): Promise<string> {
  if (!io.terminal.stdin) return (await readAll(io)).trim();
  const { hideInput } = await import("@keelson/host/secrets");
  await io.write(`Key for ${visible(provider)} (not shown): `);
  using hidden = hideInput();
  const stopListening = io.onSignal("SIGINT", () => {
    hidden[Symbol.dispose]();
    io.exit(130);
  });
  using lines = createLines(io);
  const typed = await lines.next();
  stopListening();
  await io.write("\n");
  return (typed ?? "").trim();
}

async function readAll(io: ProcessIO): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of io.stdin()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_KEY_LENGTH * 2) break;
  }
  return text;
}
