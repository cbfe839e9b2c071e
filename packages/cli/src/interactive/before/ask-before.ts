// Asks what has to be answered before a session starts, one question after the other, and lets the user pick a session.

import { reload, type Snapshot } from "@keelson/config";
import { readGlobalState } from "@keelson/config/global-state";
import type { JsonObject } from "@keelson/protocol";
import type * as Tui from "@keelson/tui";
import type * as Panels from "@keelson/tui/before";
import type { Panel } from "@keelson/tui/before";
import type { ProcessIO } from "../../process/process-io.ts";
import type { TerminalInvocation } from "../choice.ts";
import type { Beginning } from "../run.ts";
import { readKeybindings } from "../ports/keybindings.ts";
import { isScreenReader, screenDefaults } from "../screen-settings.ts";
import type { TerminalPort } from "../terminal/port.ts";
import { keepBypassAnswer, keepIncludesAnswer, keepKeyAnswer, keepTrust } from "./answers.ts";
import { keyTail, openQuestions, waitingServers, type Question } from "./open-questions.ts";

export interface AskedAtTerminal {
  readonly tui: typeof Tui;
  readonly port: TerminalPort;
  readonly end: AbortSignal;
  readonly invocation: TerminalInvocation;
}

/** What the questions change as they are answered. */
export interface Asking {
  readonly panels: typeof Panels;
  readonly keys: Panels.KeyLookup;
  readonly plain: boolean;
  snapshot: Snapshot;
  io: ProcessIO;
  readonly problems: string[];
  /** Undefined if the terminal is gone, or the program has to end. */
  show<T>(panel: Panel<T> | ((redraw: () => void) => Panel<T>)): Promise<T | undefined>;
}

/** An exit code if the program ends instead. */
export async function askBefore(beginning: Beginning, at: AskedAtTerminal): Promise<Beginning | number> {
  const asking = await startAsking(beginning, at);
  const asked = new Set<Question>();
  for (;;) {
    const { snapshot, io } = asking;
    // One that could not be written is not asked twice.
    const question = openQuestions({ snapshot, state: readGlobalState(snapshot), io }).find((each) => !asked.has(each));
    if (question === undefined) break;
    asked.add(question);
    if (!(await ASK[question](asking))) return 1;
    asking.snapshot = reload(asking.snapshot);
  }
  const { snapshot, io, problems } = asking;
  const answered = { ...beginning, snapshot, io, notices: [...beginning.notices, ...problems] };
  if (at.invocation.pick === undefined) return answered;
  const { pickSession } = await import("./pick-session.ts");
  return pickSession(at.invocation.pick.words, answered, asking);
}

async function startAsking(
  { snapshot, io }: Beginning,
  { tui, port, end, invocation }: AskedAtTerminal,
): Promise<Asking> {
  const panels = await import("@keelson/tui/before");
  const plain = isScreenReader(invocation, snapshot);
  const held = new panels.HeldKey(Date.now());
  const asking: Asking = {
    panels,
    keys: panels.keyLookupFrom(readKeybindings(snapshot).text),
    plain,
    snapshot,
    io,
    problems: [],
    show: (panel) => {
      const { env, settings } = asking.snapshot;
      const defaults = screenDefaults(readGlobalState(asking.snapshot));
      return tui.askAtTerminal(panel, {
        terminal: port,
        env,
        settings: { ...defaults, ...(settings as JsonObject) },
        now: () => Date.now(),
        screenReader: plain,
        held,
        end,
      });
    },
  };
  return asking;
}

/** Each says whether to continue. */
const ASK: Readonly<Record<Question, (asking: Asking) => Promise<boolean>>> = {
  setup: async (asking) => (await import("./set-up.ts")).setUp(asking),
  trust: async (asking) => {
    const { trustFacts } = await import("./trust-facts.ts");
    const answer = await asking.show(asking.panels.trustPanel(await trustFacts(asking.snapshot), asking));
    if (answer !== "trust") return false;
    noteProblem(asking, await keepTrust(asking.snapshot));
    return true;
  },
  changed: async (asking) => {
    const { changedFacts } = await import("./trust-facts.ts");
    const answer = await asking.show(asking.panels.changedPanel(changedFacts(asking.snapshot), asking));
    const folders = answer === "accept" ? (asking.snapshot.held ?? []).map(({ folder }) => folder) : [];
    for (const cwd of new Set(folders)) noteProblem(asking, await keepTrust({ ...asking.snapshot, cwd }));
    return answer === "accept" || answer === "without";
  },
  key: async (asking) => {
    const key = asking.io.env["ANTHROPIC_API_KEY"]!.trim();
    const panel = asking.panels.apiKeyPanel({ variable: "ANTHROPIC_API_KEY", tail: keyTail(key) }, asking);
    const answer = await asking.show(panel);
    if (answer === undefined) return false;
    noteProblem(asking, await keepKeyAnswer(asking.snapshot, key, answer));
    if (!answer) withoutKey(asking);
    return true;
  },
  servers: async (asking) => (await import("./ask-servers.ts")).askServers(asking, waitingServers(asking.snapshot.mcp)),
  includes: async (asking) => {
    const { externalIncludes } = await import("./external-includes.ts");
    const files = await externalIncludes(asking.snapshot);
    if (files.length === 0) return true;
    const answer = await asking.show(asking.panels.includesPanel(files, asking));
    if (answer !== undefined) noteProblem(asking, await keepIncludesAnswer(asking.snapshot, files, answer));
    return answer !== undefined;
  },
  bypass: async (asking) => {
    if (!(await asking.show(asking.panels.bypassPanel(asking)))) return false;
    noteProblem(asking, await keepBypassAnswer(asking.snapshot));
    return true;
  },
};

/** For everything that follows, as if the variable were not set. */
export function withoutKey(asking: Pick<Asking, "io" | "snapshot">): void {
  const { ANTHROPIC_API_KEY: _, ...env } = asking.io.env;
  asking.io = { ...asking.io, env };
  asking.snapshot = { ...asking.snapshot, origin: { ...asking.snapshot.origin, env } };
}

export function noteProblem({ problems }: Pick<Asking, "problems">, problem: string | undefined): void {
  if (problem !== undefined) problems.push(`Your answer was not saved, so you will be asked again: ${problem}`);
}
