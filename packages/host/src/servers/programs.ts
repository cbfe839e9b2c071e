// The server programs of one session: started on demand, and ended with the session however it ends.

import { dirname, resolve } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import { makeDataFolder } from "../plugins/data-folder.ts";
import { pathOutside } from "../programs/find-program.ts";
import { loaderVariables, withoutLoader } from "../programs/loader-variables.ts";
import { createPrograms, type Programs } from "../programs/registry/programs.ts";
import { randomHex } from "../random.ts";
import { isProgram } from "../shell/environment/choose.ts";
import { createGuardedGroups } from "../shell/process/guarded-groups.ts";
import type { ConfinedProgram, ProgramToConfine } from "../sandbox/confine-program.ts";
import { programNotFound, startServerProgram, type ServerProgram } from "./program.ts";

export interface StartServerOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** From `serverEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** The variables of the server's entry; they win. */
  readonly entryEnv?: Readonly<Record<string, string>>;
  /** A folder that is not trusted: programs in it are not used. */
  readonly outside?: string | undefined;
  /** Run it in the sandbox or the shield, like a command. It does not start if there is neither. */
  readonly confined?: boolean;
}

export interface ServerProgramsOptions {
  /** `confine` of the session's shell. */
  confine?(program: ProgramToConfine): Promise<ConfinedProgram>;
  /** The registry of the session. Without one, programs are looked up when they are first started. */
  programs?(): Programs;
}

export interface ServerPrograms {
  /** Rejects with a sentence for people if the program cannot be started. */
  start(options: StartServerOptions): Promise<ServerProgram>;
  /** Ends all programs and the processes they left, even those that ignore TERM or started their own session. */
  close(): Promise<void>;
}

export function createServerPrograms({ confine, programs }: ServerProgramsOptions = {}): ServerPrograms {
  const own = createPrograms(undefined);
  const token = randomHex(16);
  const { groups, guard, prepare, reaper, endAll, dismiss } = createGuardedGroups(token);
  const running = new Set<ServerProgram>();
  let closed = false;

  /** The path of its program, and its PATH. Throws if there is none, or another one than there was. */
  function find({ command, args, cwd, env, entryEnv, outside }: StartServerOptions) {
    const all = entryEnv?.["PATH"] ?? env["PATH"];
    const path = outside === undefined ? all : pathOutside(all, outside);
    const registry = programs?.() ?? own;
    const changed = registry.changedIn([command, ...args].join(" "), path);
    const found = changed ?? registry.configured(command, { path, cwd });
    if ("problem" in found) {
      if (found.isChanged) throw new Error(found.problem);
      // Starting it fails with a better reason: it may be a folder, or not executable.
      if (!command.includes("/")) throw new Error(programNotFound(command));
    }
    const file = "path" in found ? found.path : resolve(cwd, command);
    // A link of the user's may lead there, too.
    if (outside !== undefined && [file, realPathOf(file)].some((each) => pathOutside(dirname(each), outside) === ""))
      throw new Error(`"${command}" is in a folder that is not trusted; run keelson trust, or use another program`);
    return { file, path };
  }

  async function enter(options: StartServerOptions, command: string): Promise<ConfinedProgram> {
    // Inside, only the shell would notice.
    if (!isProgram(command)) throw new Error(programNotFound(options.command));
    if (!confine) throw new Error("The server must run in a sandbox, and this session has none");
    return confine({ ...options, command, entryEnv: { ...loaderVariables(options.env), ...options.entryEnv } });
  }

  return {
    async start(options) {
      if (closed) throw new Error("The session is closing; no more servers can be started");
      guard();
      makeDataFolder(options.entryEnv ?? {});
      await prepare();
      const { outside } = options;
      const { file: command, path } = find(options);
      const entered = options.confined ? await enter(options, command) : undefined;
      if (closed) {
        entered?.leave();
        throw new Error("The session is closing; no more servers can be started");
      }
      try {
        const program = startServerProgram({
          ...options,
          argv: entered?.argv ?? [command, ...options.args],
          isWrapper: entered?.isWrapper ?? false,
          // It may start others by name, as `env node` does.
          env: {
            ...(entered ? withoutLoader(options.env) : options.env),
            ...(entered?.env ?? options.entryEnv),
            ...(outside === undefined ? {} : { PATH: path ?? "" }),
          },
          groups,
        });
        running.add(program);
        void program.exited.then(() => {
          running.delete(program);
          entered?.leave();
        });
        return program;
      } catch (error) {
        entered?.leave();
        throw error;
      }
    },

    async close() {
      closed = true;
      if (!reaper()) return;
      await Promise.all([...running].map((program) => program.askToEnd()));
      await endAll();
      await dismiss();
    },
  };
}
