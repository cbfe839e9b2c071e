// What the debug log says of a session when it is open.

import type { Storage } from "../session/storage.ts";
import type { Debug } from "./debug.ts";

export function logOpened({ place, state }: Pick<Storage, "place" | "state">, debug: Debug): void {
  const { id, path, loaded } = place;
  debug(
    "session",
    () => `${loaded ? "Resumed" : "Started"} ${id} in ${state.snapshot.cwd}, transcript ${path ?? "not kept"}`,
  );
  debug("instructions", () => {
    const files = state.instructions?.files() ?? [];
    const paths = files.map((file) => `${file.path} (${file.kind}, ${file.bytes} bytes)`);
    return `${paths.length} files${paths.length === 0 ? "" : ": "}${paths.join(", ")}`;
  });
}
