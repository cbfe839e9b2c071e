// The gate's state (mode and rules) and its one door: decide, ask if needed, answer.

import {
  applyUpdate,
  decide,
  pathsInCommand,
  type GateQuestion,
  type Permission,
  type PermissionState,
  type PermitRequest,
  type Rule,
} from "@keelson/engine";
import { realPathOf } from "@keelson/host";
import { NOTHING_SAID, type PermissionMode, type PermissionUpdate, type Signal } from "@keelson/protocol";
import { answer, reasonType, type AskPerson } from "./ask.ts";

export interface GateOptions extends PermissionState {
  readonly home: string;
  /** Why a mode may not be switched to; undefined when it may. */
  refusal(mode: PermissionMode): string | undefined;
  /** Folders of ours that hold what was too long to show: always readable. */
  readonly readable: readonly string[];
  cwd(): string;
  directories(): readonly string[];
  addDirectories(paths: readonly string[]): void;
  removeDirectories(paths: readonly string[]): void;
  /** Writes what was accepted for good to the settings. */
  keep(updates: readonly PermissionUpdate[]): void;
  show(signal: Signal): void | Promise<void>;
}

export class Gate {
  readonly #options: GateOptions;
  #state: PermissionState;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#state = { mode: options.mode, rules: options.rules };
  }

  get mode(): PermissionMode {
    return this.#state.mode;
  }

  /** Switches the mode, or says why it may not. */
  setMode(mode: PermissionMode): string | undefined {
    const refusal = this.#options.refusal(mode);
    if (refusal !== undefined) return refusal;
    this.#state = { ...this.#state, mode };
    void this.#options.show({ type: "system", subtype: "status", status: null, permissionMode: mode });
    return undefined;
  }

  /** The settings were read anew: their rules take the place of those read before; the session's own stay. */
  replaceRules(rules: readonly Rule[]): void {
    const own = this.#state.rules.filter(({ source }) => source === "session");
    this.#state = { ...this.#state, rules: [...rules, ...own] };
  }

  /** For tools that look at many files: whether a deny rule hides this one. */
  mayRead(path: string): boolean {
    if (!this.#state.rules.some((rule) => rule.behavior === "deny" && rule.content !== undefined)) return true;
    const access = { kind: "read", path } as const;
    const decision = decide({ ...this.#facts(), tool: "Read", input: {}, access, realPath: realPathOf(path) });
    return decision.behavior !== "deny" || decision.by !== "rule";
  }

  async permit(request: PermitRequest, askPerson: AskPerson | undefined): Promise<Permission> {
    const { access, input, hook } = request;
    const decision = decide({
      ...this.#facts(),
      tool: request.tool.name,
      input,
      access,
      hook,
      ...("path" in access ? { realPath: realPathOf(access.path) } : {}),
      ...(access.kind === "command" ? await analyse(access.command, access.cwd, this.#options.home) : {}),
    });
    if (decision.behavior === "allow") return { behavior: "allow", by: decision.by, source: "config", input };
    if (decision.behavior === "ask" && askPerson) {
      return answer(request, decision, askPerson, (updates) => this.#accept(updates));
    }
    const denied =
      decision.behavior === "ask"
        ? await answer(request, decision, undefined, () => undefined)
        : { behavior: "deny" as const, by: decision.by, message: decision.message };
    if (denied.behavior === "deny") this.#tell(request, denied);
    return denied;
  }

  #facts(): Omit<GateQuestion, "tool" | "input" | "access"> {
    const { home, readable, directories, cwd } = this.#options;
    return { ...this.#state, hook: NOTHING_SAID, directories: directories(), cwd: cwd(), home, readable };
  }

  #tell(request: PermitRequest, denied: Permission & { behavior: "deny" }): void {
    void this.#options.show({
      type: "system",
      subtype: "permission_denied",
      tool_name: request.tool.name,
      tool_use_id: request.call.id,
      decision_reason_type: reasonType(denied.by),
      message: denied.message,
    });
  }

  #accept(updates: readonly PermissionUpdate[]): void {
    for (const update of updates) {
      if (update.type === "setMode") this.setMode(update.mode);
      else if (update.type === "addDirectories") this.#options.addDirectories(update.directories);
      else if (update.type === "removeDirectories") this.#options.removeDirectories(update.directories);
      else this.#state = applyUpdate(this.#state, update, this.#options.cwd());
    }
    this.#options.keep(updates.filter(({ destination }) => destination !== "session" && destination !== "cliArg"));
  }
}

async function analyse(command: string, cwd: string, home: string) {
  // The shell parser costs about 1 ms to load; sessions that never run a command never pay it.
  const { analyseCommand } = await import("@keelson/engine/command");
  const analysis = analyseCommand(command);
  const realPaths = new Map(pathsInCommand(analysis, { cwd, home }).map((path) => [path, realPathOf(path)]));
  return { analysis, realPaths };
}
