// The status line of this session: the input of its command, and when it runs.

import { isList, isObject, type JsonObject, type Outbound } from "@keelson/protocol";
import type { PromptEditor } from "../../editor/prompt.ts";
import type { TerminalHost } from "../../host.ts";
import { statusInput } from "../../life/status/status-input.ts";
import { StatusLineView } from "../../life/status/status-line.ts";
import type { LiveParts } from "./live-parts.ts";
import type { Talk } from "../session/talk.ts";

export interface StatusSource {
  readonly host: TerminalHost;
  readonly talk: Talk;
  readonly parts: LiveParts;
  readonly prompt: Pick<PromptEditor, "vimMode">;
  changed(): void;
}

export class StatusRows {
  readonly line: StatusLineView;
  readonly #app: StatusSource;
  #startedMs: number;
  #promptId: string | undefined;
  #apiMs = 0;
  #vimMode: string | undefined;
  #changes = { added: 0, removed: 0 };

  constructor(app: StatusSource, size: () => { columns: number; rows: number }) {
    this.#app = app;
    const { host } = app;
    this.#startedMs = host.now();
    this.line = new StatusLineView({
      settings: host.settings["statusLine"],
      run: (input, signal) => host.statusLine(input, size(), signal),
      changed: () => app.changed(),
    });
  }

  /** A session is open: the command runs before any prompt. */
  opened(): void {
    const { host } = this.#app;
    this.#startedMs = host.now();
    this.#apiMs = 0;
    this.#changes = { added: 0, removed: 0 };
    this.line.request(host.now(), { atOnce: true });
  }

  take(message: Outbound): void {
    const fields: Readonly<Record<string, unknown>> = { ...message };
    if (message.type === "command_lifecycle" && fields["state"] === "started") {
      this.#promptId = String(fields["command_uuid"]);
    }
    if (message.type === "result") this.#apiMs += Number(fields["duration_api_ms"] ?? 0);
    if (message.type === "user") this.#countLines(fields["tool_use_result"]);
    const { type, subtype } = fields;
    const tells = type === "assistant" || type === "result" || subtype === "compact_boundary" || subtype === "status";
    if (tells) this.line.request(this.#app.host.now());
  }

  poll(now: number): void {
    const { vimMode } = this.#app.prompt;
    if (vimMode !== this.#vimMode) {
      this.#vimMode = vimMode;
      this.line.request(now);
    }
    if (this.#app.talk.sessionId !== undefined) this.line.poll(now, () => this.#input(now));
  }

  #countLines(output: unknown): void {
    const patch = isObject(output) ? output["structuredPatch"] : undefined;
    if (!isList(patch)) return;
    for (const hunk of patch.filter(isObject)) {
      for (const line of isList(hunk["lines"]) ? hunk["lines"] : []) {
        if (String(line).startsWith("+")) this.#changes.added++;
        else if (String(line).startsWith("-")) this.#changes.removed++;
      }
    }
  }

  #input(now: number): JsonObject {
    const { host, talk, parts, prompt } = this.#app;
    const { facts } = talk;
    const { tokens } = parts;
    return statusInput({
      sessionId: talk.sessionId ?? "",
      ...(facts.title === "" ? {} : { sessionName: facts.title }),
      ...(this.#promptId === undefined ? {} : { promptId: this.#promptId }),
      transcriptPath: facts.transcriptPath,
      cwd: facts.cwd ?? host.cwd,
      projectDir: host.cwd,
      addedDirs: facts.addedDirs,
      gitWorktree: facts.gitWorktree,
      repo: facts.repo,
      worktree: facts.worktree,
      version: host.version,
      model: { id: facts.model, displayName: facts.modelName },
      cost: {
        totalUsd: tokens.cost ?? 0,
        totalMs: now - this.#startedMs,
        apiMs: this.#apiMs,
        linesAdded: this.#changes.added,
        linesRemoved: this.#changes.removed,
      },
      models: tokens.models,
      contextWindow: tokens.window ?? 200_000,
      ...(tokens.last ? { usage: tokens.last } : {}),
      fastMode: false,
      ...(facts.effort === undefined ? {} : { effort: facts.effort }),
      thinking: facts.thinking,
      outputStyle: facts.outputStyle,
      ...(prompt.vimMode === undefined ? {} : { vimMode: prompt.vimMode }),
      ...(facts.agent === undefined ? {} : { agent: facts.agent }),
    });
  }
}
