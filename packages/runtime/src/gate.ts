// The gate's state (mode and rules) and its one door: decide, ask if needed, answer.

import {
  applyUpdate,
  decide,
  hiddenFiles,
  newMatchers,
  type GateDecision,
  type Permission,
  type PermissionState,
  type PermitRequest,
  type Rule,
} from "@keelson/engine";
import { realPathOf } from "@keelson/host";
import type { PermissionMode, PermissionUpdate, Signal, ToolUseBlock } from "@keelson/protocol";
import { answer, reasonType, type AskPerson } from "./ask.ts";
import { gateQuestion, type GateFacts } from "./gate-question.ts";

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
  /** A second opinion where no rule decided. */
  classify(
    decision: GateDecision,
    mode: PermissionMode,
    request: PermitRequest,
    signal: AbortSignal,
  ): Promise<GateDecision>;
  /** Writes what was accepted for good to the settings. */
  keep(updates: readonly PermissionUpdate[]): void;
  show(signal: Signal): void | Promise<void>;
}

export class Gate {
  readonly #options: GateOptions;
  #state: PermissionState;
  /** Where the path of a call led when it was decided about. */
  readonly #judged = new WeakMap<ToolUseBlock, { readonly path: string; readonly realPath: string }>();
  #matchers = newMatchers();
  #hidden: ReturnType<typeof hiddenFiles> | undefined;
  #hiddenFor: readonly Rule[] | undefined;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#state = { mode: options.mode, rules: options.rules };
  }

  get mode(): PermissionMode {
    return this.#state.mode;
  }

  get rules(): readonly Rule[] {
    return this.#state.rules;
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
    this.#setRules([...rules, ...this.#state.rules.filter(({ source }) => source === "session")]);
  }

  /** For tools that look at many files: whether a deny rule hides this one. */
  mayRead(path: string): boolean {
    if (this.#hiddenFor !== this.#state.rules) {
      this.#hidden = hiddenFiles(this.#state.rules, this.#facts());
      this.#hiddenFor = this.#state.rules;
    }
    return this.#hidden === undefined || !this.#hidden(path, realPathOf(path));
  }

  /** Where a path led when this call was decided about; undefined for paths that were not. */
  judgedPath(call: ToolUseBlock, path: string): string | undefined {
    const judged = this.#judged.get(call);
    return judged?.path === path ? judged.realPath : undefined;
  }

  async permit(request: PermitRequest, askPerson: AskPerson | undefined, signal: AbortSignal): Promise<Permission> {
    const { access, input, hook, tool } = request;
    const question = await gateQuestion({ ...this.#facts(), hook }, { tool: tool.name, input, access });
    const { realPath } = question;
    if ("path" in access && realPath !== undefined) this.#judged.set(request.call, { path: access.path, realPath });
    const decision = await this.#options.classify(decide(question), this.mode, request, signal);
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

  #facts(): Omit<GateFacts, "hook"> {
    const { home, readable, directories, cwd } = this.#options;
    return { ...this.#state, directories: directories(), cwd: cwd(), home, readable, matchers: this.#matchers };
  }

  #setRules(rules: readonly Rule[]): void {
    this.#state = { ...this.#state, rules };
    this.#matchers = newMatchers();
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
      else this.#setRules(applyUpdate(this.#state, update, this.#options.cwd()).rules);
    }
    this.#options.keep(updates.filter(({ destination }) => destination !== "session" && destination !== "cliArg"));
  }
}
