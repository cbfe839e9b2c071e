// Where the members of a team run: by the setting, and by what is there.

import { join } from "node:path";
import type { Programs } from "@keelson/host/programs";
import type { Storage } from "../../../session/storage.ts";
import type { Backend } from "./backend.ts";
import { processes } from "./processes.ts";

export async function chooseBackend(
  { options, state }: Storage,
  folder: string,
  programs: () => Programs,
): Promise<Backend> {
  const { env, settings } = state.snapshot;
  const { program, warn } = options;
  const wanted = settings["teammateMode"] ?? "auto";
  const snapshot = () => state.snapshot;
  // Without a program to start, as in a process that only embeds sessions, there is no other way.
  if (wanted === "in-process" || program === undefined) {
    const { directory } = options;
    if (directory === undefined) throw new Error("Teammates need the directory that the session was opened in");
    const { inProcess } = await import("./in-process.ts");
    return inProcess({ lead: options, snapshot, directory });
  }
  const inTmux = env["TMUX"] !== undefined && env["TMUX"] !== "";
  if (wanted === "tmux" && !inTmux) warn("Teammates run without panes, because this is not inside tmux");
  if (wanted === "process" || !inTmux) return processes({ kind: "process", program, snapshot, programs });
  const { tmuxViews } = await import("./tmux.ts");
  const views = join(folder, "views");
  const view = tmuxViews({ folder: views, env, find: programs().helper, warn });
  return processes({ kind: "tmux", program, snapshot, programs, view });
}
