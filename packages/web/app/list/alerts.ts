// What the page says while no one looks at it: the title and the icon say that a session asks, and a notification, for those who
// want it, that one asks or has ended.

import { computed, effect, signal } from "@preact/signals";
import type { ListedSession } from "../connection/api.ts";
import { showTitle } from "../transcript/visible.ts";
import { notifies, showNotification } from "./notifications.ts";

/** What the page shows, for its title. */
export const pageTitle = signal("Keelson");
const asking = signal(0);
const states = new Map<string, ListedSession["state"]>();
let isFirst = true;

/** The list as it is now. */
export function watch(sessions: readonly ListedSession[]): void {
  asking.value = sessions.filter(({ state }) => state === "requires_action").length;
  for (const { id, title, state } of sessions) {
    const before = states.get(id);
    states.set(id, state);
    const isSeen = !document.hidden && document.hasFocus();
    if (before === state || isSeen || !notifies.value) continue;
    // One that is new in the list may ask at once. What was there when the page was opened is told by the title alone.
    const isTold = before === undefined ? !isFirst && state === "requires_action" : before !== "elsewhere";
    const said = state === "requires_action" ? "needs you" : state === "idle" ? "has ended" : undefined;
    if (said === undefined || !isTold) continue;
    void showNotification(showTitle(title) || "A session", said, `/s/${id}`).catch(() => undefined);
  }
  isFirst = false;
}

const title = computed(() => `${asking.value === 0 ? "" : `(${asking.value}) `}${pageTitle.value}`);
effect(() => void (document.title = title.value));
effect(() => {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link) link.href = asking.value === 0 ? "icon.svg" : "icon-asks.svg";
  // Of the installed page. Browsers that have none have no such function.
  void (asking.value === 0 ? navigator.clearAppBadge?.() : navigator.setAppBadge?.(asking.value))?.catch(
    () => undefined,
  );
});
