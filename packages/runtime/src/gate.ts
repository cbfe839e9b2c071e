// The gate's state (mode, rules, directories) and its one door: decide, ask if needed, answer.

import { decide, pathsInCommand, type Permission, type PermitRequest, type Rule } from "@keelson/engine";
import { realPathOf } from "@keelson/host";
import { NOTHING_SAID, type PermissionMode, type PermissionUpdate, type Signal } from "@keelson/protocol";
import { answer, reasonType, type AskPerson } from "./ask.ts";

export interface GateOptions {
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly home: string;
  /** Whether bypass may be switched to at all. */
  readonly bypassAllowed: boolean;
  /** Folders of ours that hold what was too long to show: always readable. */
  readonly readable: readonly string[];
  cwd(): string;
  directories(): readonly string[];
  addDirectories(paths: readonly string[]): void;
  show(signal: Signal): void | Promise<void>;
}

export class Gate {
  readonly #options: GateOptions;
  #mode: PermissionMode;
  #rules: readonly Rule[];

  constructor(options: GateOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#rules = options.rules;
  }

  get mode(): PermissionMode {
    return this.#mode;
  }

  /** Switches the mode, or says why it may not. */
  setMode(mode: PermissionMode): string | undefined {
    if (mode === "bypassPermissions" && !this.#options.bypassAllowed) {
      return "Cannot set permission mode to bypassPermissions: the session was not started with --dangerously-skip-permissions or --allow-dangerously-skip-permissions";
    }
    this.#mode = mode;
    void this.#options.show({ type: "system", subtype: "status", status: null, permissionMode: mode });
    return undefined;
  }

  /** For tools that look at many files: whether a deny rule hides this one. */
  mayRead(path: string): boolean {
    if (!this.#rules.some((rule) => rule.behavior === "deny" && rule.content !== undefined)) return true;
    const { home, readable } = this.#options;
    const decision = decide({
      tool: "Read",
      input: {},
      access: { kind: "read", path },
      realPath: realPathOf(path),
      hook: NOTHING_SAID,
      rules: this.#rules,
      mode: this.#mode,
      directories: this.#options.directories(),
      cwd: this.#options.cwd(),
      home,
      readable,
    });
    return decision.behavior !== "deny" || decision.by !== "rule";
  }

  async permit(request: PermitRequest, askPerson: AskPerson | undefined): Promise<Permission> {
    const { access } = request;
    const { home, readable } = this.#options;
    const decision = decide({
      tool: request.tool.name,
      input: request.input,
      access,
      realPath: "path" in access ? realPathOf(access.path) : undefined,
      ...(access.kind === "command" ? await analyse(access.command, { cwd: access.cwd, home }) : {}),
      hook: request.hook,
      rules: this.#rules,
      mode: this.#mode,
      directories: this.#options.directories(),
      cwd: this.#options.cwd(),
      home,
      readable,
    });
    if (decision.behavior === "allow") {
      return { behavior: "allow", by: decision.by, source: "config", input: request.input };
    }
    if (decision.behavior === "ask" && askPerson) {
      return answer(request, decision, askPerson, (updates) => this.#accept(updates));
    }
    const denied = await (decision.behavior === "ask"
      ? answer(request, decision, undefined, () => undefined)
      : { behavior: "deny" as const, by: decision.by, message: decision.message });
    if (denied.behavior === "deny") this.#tell(request, denied);
    return denied;
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
      switch (update.type) {
        case "setMode":
          this.setMode(update.mode);
          break;
        case "addRules":
          this.#rules = [
            ...this.#rules,
            ...update.rules.map((value) => sessionRule(update.behavior, value, this.#options.cwd())),
          ];
          break;
        case "replaceRules":
          this.#rules = [
            ...this.#rules.filter((rule) => rule.source !== "session" || rule.behavior !== update.behavior),
            ...update.rules.map((value) => sessionRule(update.behavior, value, this.#options.cwd())),
          ];
          break;
        case "removeRules":
          this.#rules = this.#rules.filter(
            (rule) =>
              rule.source !== "session" ||
              !update.rules.some((value) => value.toolName === rule.tool && value.ruleContent === rule.content),
          );
          break;
        case "addDirectories":
          this.#options.addDirectories(update.directories);
          break;
        case "removeDirectories":
          break;
      }
    }
  }
}

function sessionRule(
  behavior: Rule["behavior"],
  { toolName, ruleContent }: { toolName: string; ruleContent?: string },
  base: string,
): Rule {
  const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
  return { behavior, tool: toolName, content: ruleContent, source: "session", base, text };
}

async function analyse(command: string, where: { cwd: string; home: string }) {
  // The shell parser costs about 1 ms to load; sessions that never run a command never pay it.
  const { analyseCommand } = await import("@keelson/engine/command");
  const analysis = analyseCommand(command);
  const realPaths = new Map(pathsInCommand(analysis, where).map((path) => [path, realPathOf(path)]));
  return { analysis, realPaths };
}
