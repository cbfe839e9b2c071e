// The devices that are signed in.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, type ListedDevice } from "./connection/api.ts";
import { forget } from "./connection/device.ts";
import { NOTIFIES_KEY, notifies, showNotification } from "./list/notifications.ts";
import { age } from "./list/age.ts";
import { Back } from "./list/back.tsx";
import { isOnThisMachine, QrCode, ShownLink } from "./shown-link.tsx";

export function Devices() {
  const devices = useSignal<readonly ListedDevice[]>([]);
  const link = useSignal<string | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const tried = (work: Promise<void>) =>
    void work.catch((error: unknown) => (failure.value = error instanceof Error ? error.message : String(error)));
  const read = async () =>
    void (devices.value = (await api<{ data: readonly ListedDevice[] }>("GET", "/v1/devices")).body.data);
  useEffect(() => tried(read()), []);

  const remove = async ({ id, current }: ListedDevice) => {
    if (current) {
      await api("POST", "/v1/auth/logout", { body: {} });
      return forget();
    }
    await api("DELETE", `/v1/devices/${id}`);
    await read();
  };
  const pair = async (role: "viewer" | "driver") => {
    const { body } = await api<{ code: string }>("POST", "/v1/devices", { body: { role } });
    link.value = `${location.origin}${location.pathname}#code=${body.code}`;
  };
  return (
    <section class="page">
      <header class="bar">
        <Back />
        <h1>Devices</h1>
      </header>
      {failure.value === undefined ? null : (
        <p class="error" role="alert">
          {failure.value}
        </p>
      )}
      <ul class="devices">
        {devices.value.map((device) => (
          <li key={device.id}>
            <span>
              <strong>{device.name}</strong>
              <span class="dim">
                {device.current ? "this device" : `seen ${age(device.seen_ms, Date.now())}`}
                {` · signed in ${age(device.created_ms, Date.now())}`}
                {device.role === "viewer" ? " · only watches" : ""}
                {device.remembered ? " · remembered" : ""}
              </span>
            </span>
            <button onClick={() => tried(remove(device))}>Sign out</button>
          </li>
        ))}
      </ul>
      <h2>Notifications</h2>
      <p>
        {notifies.value
          ? "This browser says when a session asks or has ended while the page is open and out of sight."
          : "This browser can say when a session asks or has ended while the page is open and out of sight."}
      </p>
      <p class="buttons">
        {notifies.value ? (
          <button onClick={turnOff}>Turn off</button>
        ) : (
          <button onClick={() => tried(turnOn())}>Turn on</button>
        )}
      </p>
      <h2>Another device</h2>
      <p>The link signs one device in, once and within a minute.</p>
      <p class="buttons">
        <button class="primary" onClick={() => tried(pair("driver"))}>
          Link that may do everything
        </button>
        <button onClick={() => tried(pair("viewer"))}>Link that only watches</button>
      </p>
      {link.value === undefined ? null : <PairingLink link={link.value} />}
    </section>
  );
}

const PairingLink = ({ link }: { readonly link: string }) => (
  <>
    <ShownLink link={link} />
    {isOnThisMachine ? (
      <p class="dim">
        This address leads to the page on this machine only, so the link is for another browser here. For a phone, start{" "}
        <code>keelson web --behind-proxy</code>.
      </p>
    ) : (
      <QrCode text={link} />
    )}
  </>
);

/** Only on a click: a browser asks the user then. Rejects with an error for the user. */
async function turnOn(): Promise<void> {
  if (typeof Notification === "undefined")
    throw new Error(
      isSecureContext
        ? "This browser shows no notifications of pages; some do once the page is installed"
        : "Browsers show notifications only of pages with https://",
    );
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser does not allow notifications of this page; change that in its settings");
  try {
    await showNotification("Keelson", "Notifications are on", "/");
  } catch {
    throw new Error("This browser shows no notifications of pages");
  }
  localStorage.setItem(NOTIFIES_KEY, "on");
  notifies.value = true;
}

function turnOff(): void {
  localStorage.removeItem(NOTIFIES_KEY);
  notifies.value = false;
  void navigator.serviceWorker
    ?.getRegistration()
    .then((registration) => registration?.unregister())
    .catch(() => undefined);
}
