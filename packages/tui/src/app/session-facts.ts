// What the terminal knows of the session it shows, gathered from messages and replies. Thrown away with the session.

import { isObject, isPermissionMode, isResult, type Outbound, type PermissionMode } from "@keelson/protocol";

export interface CommandFact {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly aliases?: readonly string[];
}

export class SessionFacts {
  model = "";
  mode: PermissionMode = "default";
  title = "";
  /** Since when the agent works; undefined while it waits for a prompt. */
  workingSince: number | undefined;
  commands: readonly CommandFact[] = [];
  agents: readonly string[] = [];
  outputStyle = "default";
  lastAnswer = "";
  /** What the session may switch to besides the usual modes. */
  bypassAllowed = false;

  take(message: Outbound, now: number): void {
    if (isResult(message)) {
      this.workingSince = undefined;
      if (typeof message.result === "string" && message.result !== "") this.lastAnswer = message.result;
      return;
    }
    switch (message.type) {
      case "stream_event":
        if (message["parent_tool_use_id" as never] === null) this.workingSince ??= now;
        return;
      case "command_lifecycle":
        if (message["state" as never] === "started") this.workingSince ??= now;
        return;
      case "system":
        return this.#system(message as unknown as Readonly<Record<string, unknown>>);
    }
  }

  /** The reply to `initialize`. */
  initialized(reply: unknown): void {
    if (!isObject(reply)) return;
    const { commands, agents, output_style: style, current_permission_mode: mode } = reply;
    if (Array.isArray(commands)) this.commands = commands.filter(isObject) as unknown as CommandFact[];
    if (Array.isArray(agents)) this.agents = agents.filter(isObject).map(({ name }) => String(name));
    if (typeof style === "string") this.outputStyle = style;
    if (isPermissionMode(mode)) this.mode = mode;
  }

  #system(message: Readonly<Record<string, unknown>>): void {
    const { subtype, permissionMode, model, title, commands } = message;
    if ((subtype === "init" || subtype === "status") && isPermissionMode(permissionMode)) this.mode = permissionMode;
    if (subtype === "init" && typeof model === "string") this.model = model;
    if (subtype === "session_title_changed" && typeof title === "string") this.title = title;
    if (subtype === "commands_changed" && Array.isArray(commands)) {
      this.commands = commands.filter(isObject) as unknown as CommandFact[];
    }
  }
}
