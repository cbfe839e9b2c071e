// What a browser keeps of the page while it sleeps: it leads a click on a notification to its session, and does nothing else. It
// sees no request and keeps no data.

interface OpenWindow {
  readonly url: string;
  focus(): Promise<unknown>;
  postMessage(message: unknown): void;
}

interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    matchAll(options: object): Promise<readonly OpenWindow[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: string, listener: (event: NotificationClick) => void): void;
}

interface NotificationClick extends Event {
  readonly notification: { readonly tag: string; close(): void };
  waitUntil(work: Promise<unknown>): void;
}

const scope = globalThis as object as WorkerScope;

scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.tag));
});

/** In a page that is open already, if there is one. */
async function open(view: string): Promise<void> {
  const windows = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = windows.find(({ url }) => url.startsWith(scope.registration.scope));
  if (page === undefined) return void (await scope.clients.openWindow(`${scope.registration.scope}#${view}`));
  // A client of a worker has one origin, that of the worker.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  page.postMessage({ view });
  await page.focus();
}
