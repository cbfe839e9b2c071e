// What is below the conversation, from top to bottom: what is being written, the spinner, lists, the prompt or a panel,
// the status rows, the footer.

import type { Outbound } from "@keelson/protocol";
import type { PromptEditor } from "../../editor/prompt.ts";
import { shortcutRows } from "../../editor/shortcuts.ts";
import type { TerminalHost } from "../../host.ts";
import type { InputEvent } from "../../input/event.ts";
import type { Bindings } from "../../keys/bindings.ts";
import { renderFooter } from "../../life/footer.ts";
import { AgentTalks } from "../../stream/agent-talks.ts";
import { runningNow, Spinner } from "../../life/spinner.ts";
import { BackgroundTasks } from "../../life/tasks.ts";
import { TodoView } from "../../life/todos.ts";
import { TokenCounter } from "../../life/tokens.ts";
import type { Frame, Rendered, View } from "../../screen/view.ts";
import type { Theme } from "../../theme/theme.ts";
import { stack, type ScreenPart, type StillParts } from "./layout.ts";
import type { Panels } from "../overlays/panels.ts";
import type { Talk } from "../session/talk.ts";

export interface LiveState {
  readonly talk: Talk;
  readonly prompt: PromptEditor;
  readonly panels: Panels;
  readonly status: View;
}

export class LiveParts {
  readonly #bindings: Bindings;
  readonly #spinner: Spinner;
  tokens = new TokenCounter();
  tasks = new BackgroundTasks();
  readonly agents: AgentTalks;
  #todos = new TodoView();
  #showsLists = true;
  #showsShortcuts = false;
  /** When the run that is shown began. */
  startedMs = 0;
  /** When text was last added to what is being written. */
  grewAt = -Infinity;
  #working = false;
  /** What was drawn last. Undefined if it may look different by now, apart from what moves. */
  #drawn: { readonly parts: readonly ScreenPart[]; readonly still: StillParts; readonly frame: Frame } | undefined;

  constructor(host: TerminalHost, bindings: Bindings) {
    this.#bindings = bindings;
    this.agents = new AgentTalks({ cwd: host.cwd });
    this.#spinner = new Spinner(host.settings);
  }

  take(message: Outbound, now: number): void {
    const grows = isGrowth(message);
    if (grows) this.grewAt = now;
    if (!grows || !this.#working) this.changed();
    this.tokens.take(message);
    this.tasks.take(message, now);
    this.agents.take(message, now);
    this.#todos.take(message);
    this.#spinner.take(message);
  }

  /** Not only what moves looks different: the text that is being written, and the spinner. */
  changed(): void {
    this.#drawn = undefined;
  }

  /** Whether only what moves looks different since the last frame. */
  get isStill(): boolean {
    return this.#drawn !== undefined;
  }

  /** Another session. */
  clear(): void {
    this.changed();
    this.tokens = new TokenCounter();
    this.tasks = new BackgroundTasks();
    this.agents.clear();
    this.#todos = new TodoView();
  }

  toggleShortcuts(): void {
    this.#showsShortcuts = !this.#showsShortcuts;
  }

  /** Any key closes the shortcuts. Whether they were open and the key was only for that. */
  closeShortcuts(event: InputEvent): boolean {
    if (!this.#showsShortcuts || event.kind !== "key") return false;
    this.#showsShortcuts = false;
    return event.name === "escape" || event.text === "?";
  }

  toggleLists(): void {
    this.#showsLists = !this.#showsLists;
  }

  /** Milliseconds until the spinner moves. */
  nextMove(talk: Talk, { now, theme }: { readonly now: number; readonly theme: Theme }): number | undefined {
    return isTurning(talk) ? this.#spinner.nextChange(now, theme) : undefined;
  }

  /** Milliseconds until something else looks different. */
  nextChange(now: number): number | undefined {
    return this.#showsLists ? this.tasks.nextChange(now) : undefined;
  }

  render(state: LiveState, frame: Frame): Rendered {
    const { talk } = state;
    const since = talk.facts.workingSince;
    if (since !== undefined && !this.#working) {
      this.tokens.begin();
      this.startedMs = since;
    }
    this.#working = since !== undefined;
    if (!this.#drawn || !isLike(this.#drawn.frame, frame)) {
      this.#drawn = { parts: this.#partsOf(state, frame), still: new Map(), frame };
    }
    return stack(this.#drawn.parts, frame, this.#drawn.still);
  }

  #partsOf(state: LiveState, frame: Frame): ScreenPart[] {
    const { talk, prompt, panels } = state;
    const panel = panels.top;
    const lists = (this.#showsLists ? [this.#todos, this.tasks] : []).filter(
      (list) => list.render(frame).rows.length > 0,
    );
    // What runs in the background does not belong to the last thing to do.
    const apart = lists.flatMap((view, at) => [
      { view: gap(at > 0), rank: 8 },
      { view, rank: 5 },
    ]);
    return [
      { view: { render: (inner) => ({ rows: talk.feed.live(inner) }) }, rank: 7, moves: true },
      { view: gap(isTurning(talk) || lists.length > 0), rank: 8 },
      { view: { render: (inner) => ({ rows: this.#spinnerRow(talk, inner) }) }, rank: 3, moves: true },
      ...apart,
      { view: talk.queued, rank: 4 },
      { view: gap(true), rank: 6 },
      panel ? { view: panels, rank: 0, focused: true } : { view: prompt, rank: 0, focused: true },
      ...(panel ? [] : this.#below(state)),
    ];
  }

  /** Under the prompt. */
  #below(state: LiveState): ScreenPart[] {
    const keys: View = { render: (frame) => ({ rows: shortcutRows(this.#bindings, frame) }) };
    if (this.#showsShortcuts) return [{ view: keys, rank: 2 }];
    return [
      { view: state.status, rank: 2 },
      { view: this.#footer(state), rank: 1 },
    ];
  }

  #spinnerRow(talk: Talk, frame: Frame): string[] {
    const { workingSince } = talk.facts;
    if (workingSince === undefined || !isTurning(talk)) return [];
    const { activity } = this.#todos;
    const running = runningNow(talk.feed.unfinished);
    const facts = {
      startedMs: workingSince,
      waitedMs: talk.waitedMs(frame.now),
      written: this.tokens.written,
      read: this.tokens.read,
      interruptKey: this.#bindings.keyFor("Chat", "chat:cancel"),
      ...(activity === undefined ? {} : { activity }),
      ...(running === undefined ? {} : { running }),
    };
    return [this.#spinner.render(facts, frame)];
  }

  #footer({ talk, prompt }: LiveState): View {
    return {
      render: (frame) => {
        const vim = prompt.vimMode;
        const notice = prompt.hint(frame.now);
        const { usedPercent, cost } = this.tokens;
        const { model, effort, servers } = talk.facts;
        const facts = {
          mode: talk.facts.mode,
          modeKey: this.#bindings.keyFor("Chat", "chat:cycleMode"),
          queued: talk.queued.count,
          ...(prompt.mode === "shell" ? { writes: "shell" as const } : {}),
          ...(prompt.mode === "memory" ? { writes: { file: talk.facts.memoryFile } } : {}),
          promptIsEmpty: prompt.isEmpty && prompt.mode === "prompt",
          model,
          ...(effort === undefined ? {} : { effort }),
          tasks: this.tasks.summary,
          ...(servers === undefined ? {} : { servers }),
          ...(vim === undefined ? {} : { vim }),
          ...(usedPercent === undefined ? {} : { usedPercent }),
          ...(cost === undefined ? {} : { cost }),
          ...(notice === undefined ? {} : { notice }),
        };
        return { rows: [renderFooter(facts, frame)] };
      },
    };
  }
}

/** Whether the spinner turns. While a question is open the agent waits, and Esc is an answer. */
function isTurning({ isWorking, questions }: Talk): boolean {
  return isWorking && questions.shown === undefined;
}

/** Whether a message makes only the text longer that is being written. */
function isGrowth(message: Outbound): boolean {
  return message.type === "stream_event" && message.event.type === "content_block_delta";
}

function isLike(one: Frame, other: Frame): boolean {
  return one.columns === other.columns && one.rows === other.rows && one.theme === other.theme;
}

function gap(isWanted: boolean): View {
  return { render: () => ({ rows: isWanted ? [""] : [] }) };
}
