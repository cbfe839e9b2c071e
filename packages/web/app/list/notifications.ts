// Notifications of the browser. The worker shows them where it can: it is the only way on Android, and a click then finds the page
// again, or opens it.

import { signal } from "@preact/signals";
import { go } from "../route.ts";

export const NOTIFIES_KEY = "keelson-notifications";
const WORKER = "worker.js";

/** Whether this browser tells of what happens while no one looks. */
export const notifies = signal(localStorage.getItem(NOTIFIES_KEY) === "on" && mayNotify());

// The one address of a script that the page may hand to the browser, whatever it is asked for. The policy of the page allows one
// policy with this name, so no one else can make another.
const policy = window.trustedTypes?.createPolicy("keelson-worker", { createScriptURL: () => WORKER });

if (notifies.value) void worker();
navigator.serviceWorker?.addEventListener("message", ({ data }: MessageEvent<{ readonly view?: unknown }>) => {
  if (typeof data?.view === "string") go(data.view);
});

/** `view` is where a click leads. */
export async function showNotification(title: string, body: string, view: string): Promise<void> {
  const options = { body, tag: view, icon: "icon.svg" };
  const registration = await worker();
  if (registration) return registration.showNotification(title, options);
  const notification = new Notification(title, options);
  notification.addEventListener("click", () => {
    focus();
    go(view);
    notification.close();
  });
}

function mayNotify(): boolean {
  return typeof Notification !== "undefined" && Notification.permission === "granted";
}

/** Undefined in a browser that has none. */
async function worker(): Promise<ServiceWorkerRegistration | undefined> {
  try {
    await navigator.serviceWorker.register((policy?.createScriptURL("") ?? WORKER) as string);
    return await navigator.serviceWorker.ready;
  } catch {
    return undefined;
  }
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): { createScriptURL(wanted: string): string | { readonly trusted: true } };
}

declare global {
  interface Window {
    /** Undefined in browsers without it. */
    readonly trustedTypes?: TrustedTypes;
  }
}
