// The page of keelson serve: a sign-in, or the navigation beside a screen.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { token } from "../connection/device.ts";
import { lazy } from "../lazy.tsx";
import { takeArrival } from "../team/fragment.ts";
import { leave } from "../team/leave.ts";
import { whileIdle } from "../idle.ts";
import { showRow } from "../transcript/visible.ts";
import { facts, link } from "./live.ts";
import { go, place } from "./place.ts";
import { ENTRY_OF, loadAhead, SCREENS } from "./screens.ts";

const TeamSignIn = lazy(async () => (await import("../team/team-sign-in.tsx")).TeamSignIn);
const arrived = signal(takeArrival());

// A link that is opened where the page is open already.
addEventListener("hashchange", () => {
  arrived.value = takeArrival() ?? arrived.peek();
});

export function RoutinesApp() {
  if (token.value !== undefined && arrived.value === undefined) return <Shell />;
  return (
    <TeamSignIn
      key={JSON.stringify(arrived.value)}
      arrival={arrived.value}
      done={(isByLink) => {
        arrived.value = undefined;
        // A link works once: there they find what they come back with.
        if (isByLink) go("/account");
      }}
    />
  );
}

function Shell() {
  const [name = "routines", ...rest] = place.value;
  const row = SCREENS.find((screen) => screen.name === name) ?? SCREENS[0]!;
  const isOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const at = place.value.join("/");
  const isFirst = useRef(true);
  useEffect(() => whileIdle(loadAhead), []);
  useEffect(() => {
    isOpen.value = false;
    document.title = `${row.title ?? "Routines"} · Keelson`;
    // Whoever uses a keyboard or listens is where the new screen begins.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [at]);
  const Screen = row.Screen;
  return (
    <div class="shell team">
      <header class={isOpen.value ? "side open" : "side"}>
        <div class="bar">
          <a class="brand" href="#/">
            Keelson
          </a>
          <button
            class="quiet fold-nav"
            aria-expanded={isOpen.value}
            aria-controls="screens"
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            Menu
          </button>
        </div>
        <nav id="screens" aria-label="Screens">
          <ul class="screens">
            {SCREENS.filter(
              ({ title, isForAdmins }) => title !== undefined && (!isForAdmins || facts.value?.admin),
            ).map((screen) => (
              <li key={screen.name}>
                <a
                  href={`#/${screen.name}`}
                  aria-current={(ENTRY_OF[row.name] ?? row.name) === screen.name ? "page" : undefined}
                >
                  {screen.title}
                </a>
              </li>
            ))}
          </ul>
          <SignedIn />
        </nav>
      </header>
      <main class="main" ref={main} tabIndex={-1}>
        <Screen key={at} rest={rest} />
      </main>
    </div>
  );
}

const LINKS = { connecting: "Connecting", connected: "Connected", offline: "Offline" } as const;

function SignedIn() {
  const known = facts.value;
  return (
    <div class="signed-in">
      <p class={`link ${link.value}`} role="status">
        {LINKS[link.value]}
      </p>
      {known === undefined ? null : (
        <p class="dim">
          {showRow(known.name)}
          {known.admin ? " · admin" : known.role === "viewer" ? " · only watches" : ""}
        </p>
      )}
      <button class="quiet" onClick={() => void leave()}>
        Sign out
      </button>
    </div>
  );
}
