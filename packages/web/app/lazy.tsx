// Parts of the page that are loaded when they are first shown.

import { useSignal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";

export function lazy<Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | undefined;
  return (props) => {
    const state = useSignal<"loading" | "loaded" | "failed">(loaded ? "loaded" : "loading");
    useEffect(() => {
      // Also if it has been loaded since this was drawn, for another one: nothing else would draw this one again.
      load().then(
        (component) => {
          loaded = component;
          state.value = "loaded";
        },
        () => (state.value = "failed"),
      );
    }, []);
    if (state.value === "loaded" && loaded) {
      const Loaded = loaded;
      return <Loaded {...props} />;
    }
    return state.value === "failed" ? <NotLoaded /> : null;
  };
}

/** The server is gone, or a newer one that has other parts. */
function NotLoaded() {
  return (
    <p class="note error" role="alert">
      This part of the page could not be loaded. <button onClick={() => location.reload()}>Reload the page</button>
    </p>
  );
}
