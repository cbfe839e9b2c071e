// The page: a sign-in, or the list of sessions beside what was chosen of it.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { token } from "./connection/device.ts";
import { whileIdle } from "./idle.ts";
import { lazy } from "./lazy.tsx";
import { pageTitle } from "./list/alerts.ts";
import { SessionList } from "./list/session-list.tsx";
import { search, sessions } from "./list/sessions.ts";
import { route } from "./route.ts";

const loadSession = () => import("./session/session-view.tsx");
const loadAhead = () => {
  void loadSession().catch(() => undefined);
  return false;
};
// A link to a session needs it at once.
if (route.peek().view === "session") loadAhead();

const SessionView = lazy(async () => (await loadSession()).SessionView);
const SignIn = lazy(async () => (await import("./sign-in.tsx")).SignIn);
const Devices = lazy(async () => (await import("./devices.tsx")).Devices);
const NewSession = lazy(async () => (await import("./list/new-session.tsx")).NewSession);

export function App({ code }: { readonly code: string | undefined }) {
  const unused = useSignal(code);
  if (token.value === undefined || unused.value !== undefined)
    return <SignIn code={unused.value} done={() => (unused.value = undefined)} />;
  return <Shell />;
}

function Shell() {
  const { view } = route.value;
  // The list is there first, and a session that is chosen is there at once.
  useEffect(() => whileIdle(loadAhead), []);
  useEffect(() => {
    if (view !== "session") pageTitle.value = "Keelson";
  }, [view]);
  return (
    <div class={view === "sessions" ? "shell at-list" : "shell"}>
      <nav class="side" aria-label="Sessions">
        <SessionList />
      </nav>
      <main class="main">
        <View />
      </main>
    </div>
  );
}

function View() {
  const at = route.value;
  switch (at.view) {
    case "session":
      return <SessionView key={at.id} id={at.id} />;
    case "new":
      return <NewSession />;
    case "devices":
      return <Devices />;
    case "sessions":
      return sessions.value?.length === 0 && search.value === "" ? (
        <div class="empty">
          <p>A session works in a folder of this machine, also while no page is open.</p>
          <a class="button primary" href="#/new">
            Begin a session
          </a>
        </div>
      ) : (
        <p class="empty">Choose a session, or begin a new one.</p>
      );
  }
}
