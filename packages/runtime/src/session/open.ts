// Opens a session: finds its place, makes its parts in the order they need each other, and hands back the one interface
// front ends know.

import { withEnvironment, type Snapshot } from "@keelson/config";
import { Conversation, reminder, type Tool } from "@keelson/engine";
import { gitBranch } from "@keelson/host";
import type { Session } from "@keelson/protocol";
import { nullTranscript, openTranscript } from "@keelson/store";
import { toolsForPeople } from "@keelson/tools";
import type { Assembly } from "./assembly.ts";
import { Controls } from "../controls/controls.ts";
import { Cost } from "../model/cost.ts";
import type * as DebugLog from "../debug.ts";
import type { Debug } from "../debug.ts";
import { openFileHistory } from "../machine/file-history.ts";
import type * as GoverningModule from "../gate/governing.ts";
import { hookOptionsOf } from "../hooks/hook-options.ts";
import { openSessionHooks } from "../hooks/session-hooks.ts";
import { Inbox } from "../stream/inbox.ts";
import { openInstructions } from "../instructions/instructions.ts";
import { limitsOf } from "./limits.ts";
import { SdkServers } from "../mcp/sdk-servers.ts";
import { checkBudget, chooseModel, tariffOf } from "../model/model-choice.ts";
import { Outbox } from "../stream/outbox.ts";
import { choosePlace, type SessionChoice } from "./place.ts";
import { openPlanMode } from "./plan-mode.ts";
import { builtInTools, offeredTools } from "../machine/pool.ts";
import type * as Replay from "../stream/replay.ts";
import { openSandbox } from "../machine/sandbox.ts";
import { LiveSession } from "./session.ts";
import { targetsOf } from "../controls/session-controls.ts";
import { openGate } from "../gate/session-gate.ts";
import { adopt, promptOf, refresh, startSession } from "./life.ts";
import { portsOf } from "./ports.ts";
import { taskWatchers } from "../machine/tasks.ts";
import { openWorld, type SessionWorld } from "../machine/machine.ts";

/** Programs inside our own executable; they are put on disk when they are first needed. */
export interface ShippedPrograms {
  readonly ripgrep?: string;
  /** Helper of the sandbox on Linux. */
  readonly seccomp?: string;
}

export interface OpenOptions {
  readonly snapshot: Snapshot;
  /** How the program was entered: `sdk-cli`, `sdk-ts` … */
  readonly entrypoint: string;
  readonly session: SessionChoice;
  /** Somebody wants every delta. */
  readonly partial: boolean;
  /** Echo accepted prompts. */
  readonly replayPrompts: boolean;
  /** Hooks at work are part of the stream. */
  readonly hookEvents?: boolean;
  /** Every entry of the transcript is part of the stream, for a client that keeps a copy. */
  readonly mirror?: boolean;
  /** Which Setup hooks run first, if any. */
  readonly setup?: "init" | "maintenance";
  /** A client will answer `can_use_tool`. */
  readonly stdioPermissions: boolean;
  readonly programs?: ShippedPrograms;
  /** Absent: nobody asked for a debug log. */
  readonly debug?: Debug;
  /** Something people should know that is no part of the stream. */
  warn(text: string): void;
}

export async function openSession(options: OpenOptions): Promise<Session & { readonly announce?: string }> {
  const { debug, entrypoint, snapshot, warn } = options;
  const { cwd, configDir, env } = snapshot;
  const newId = () => crypto.randomUUID();
  const now = () => Date.now();

  const dirName = env["CLAUDE_CODE_PROJECT_DIR_NAME"];
  const place = await choosePlace(options.session, { configDir, cwd, dirName }, newId);
  const { id, loaded } = place;
  const model = await chooseModel(snapshot, { sessionId: id, entrypoint, debug });
  const tariff = tariffOf(snapshot);
  checkBudget(snapshot, tariff, model.profile.id);

  const all = {
    options,
    place,
    newId,
    now,
    current: {
      snapshot,
      model,
      tools: [],
      ownSystem: [],
      system: [],
      branch: gitBranch(cwd),
      title: options.session.name ?? loaded?.title,
      lastUsage: null,
    },
    inbox: new Inbox(),
    cost: new Cost(tariff, loaded?.costState),
    notify: (text) => all.inbox.notify(reminder(text, newId()), { wakes: false }),
    adopt: (next) => adopt(next, all),
  } satisfies Partial<Building> as unknown as Building;
  const { current } = all;

  all.transcript = place.path
    ? openTranscript({
        path: place.path,
        sticky: loaded?.sticky,
        onFailure: (error) =>
          warn(`The transcript cannot be written (${error.message}); the session goes on without it`),
      })
    : nullTranscript();
  all.outbox = new Outbox({
    sessionId: id,
    entrypoint,
    leaf: loaded?.leafUuid ?? null,
    replayPrompts: options.replayPrompts,
    ...(options.mirror && place.path !== null ? { mirrored: place.path } : {}),
    append: (entries) => void all.transcript.append(entries),
    cwd: () => all.world.tools.workspace.cwd,
    gitBranch: () => current.branch,
    slug: () => all.plan?.name(),
    now,
    newId,
  });
  const { sandbox, state: sandboxState } = await openSandbox(snapshot, {
    programs: options.programs,
    directories: () => all.world?.tools.workspace.directories ?? [cwd, ...snapshot.directories],
    warn,
  });
  all.governing = lateGoverning(all);
  all.world = worldOf(all, sandbox);
  const gate = openGate(all, sandboxState);
  all.gate = gate;
  all.plan = openPlanMode({
    snapshot: () => current.snapshot,
    mode: () => gate.mode,
    setMode: (mode) => gate.setMode(mode),
    toolNames: () => current.tools.map(({ name }) => name),
    past: loaded?.entries ?? [],
    forked: options.session.fork === true,
    random: Math.random,
    newId,
  });
  all.fileHistory = await openFileHistory(snapshot, {
    place,
    note: (entry) => all.outbox.note(entry),
    warn,
    wasOwnCommand: (mtimeMs) => all.world.tools.seen.wasOwnCommand(mtimeMs),
    now,
  });
  all.mcp = new SdkServers({ bridge: (name) => all.controls.mcpServer(name), env, warn });
  all.hooks = openSessionHooks(hookOptionsOf(all));
  all.controls = new Controls(targetsOf(all));
  all.instructions = await openInstructions(snapshot, {
    date: new Date(now()).toISOString().slice(0, 10),
    gate: { ready: () => gate.warm(), mayRead: (path) => gate.mayRead(path) },
    tell: (event, input) => all.hooks.surroundings.tell(event, input),
    warn,
  });
  all.conversation = await Conversation.of(loaded?.entries ?? [], all.instructions.preface);
  all.allTools = [...builtInTools(all.world.tasks), ...(await forPeople(all))];
  current.tools = offeredTools(all.allTools, snapshot);
  current.system = current.ownSystem = promptOf(all);

  all.session = new LiveSession({
    ...all,
    id,
    limits: () => limitsOf(current.snapshot),
    start: () => startSession(all),
    refresh: (signal) => refresh(all, signal),
    ports: (signal) => {
      const ports = portsOf(all, signal);
      return debug ? (require("../debug.ts") as typeof DebugLog).debugPorts(ports, debug) : ports;
    },
    // What is written from now on comes live, so the past has to be read in this very tick.
    replay: () => (require("../stream/replay.ts") as typeof Replay).replayOf(place.path),
    setEnvironment: (variables) => (current.snapshot = withEnvironment(current.snapshot, variables)),
    title: () => current.title,
    tellsState: env["CLAUDE_CODE_SDK_READS_SESSION_STATE"] === "1",
    end: (reason) => all.hooks.close(reason === "interrupt" ? "prompt_input_exit" : "other"),
    dispose: async () => {
      await all.controls.finish();
      all.mcp.close();
      await all.fileHistory?.close();
      await gate.kept();
      await all.world.close();
      all.transcript.close();
    },
  });
  all.controls.onEnd(() => void all.session.close("interrupt"));
  debug?.("session", () => `${loaded ? "Resumed" : "Started"} ${id} in ${cwd}, transcript ${place.path ?? "not kept"}`);
  debug?.("instructions", () => {
    const paths = all.instructions.files().map(({ path, kind, bytes }) => `${path} (${kind}, ${bytes} bytes)`);
    return `${paths.length} files${paths.length === 0 ? "" : ": "}${paths.join(", ")}`;
  });
  return Object.assign(all.session, { announce: model.announce });
}

/** The parts are made one after another; until all are there, nobody else may look. */
type Building = { -readonly [K in keyof Assembly]: Assembly[K] };

/** Not needed before the first call. */
function lateGoverning(all: Building): Assembly["governing"] {
  let known: Assembly["governing"] | undefined;
  const load = () => {
    const { governingOf } = require("../gate/governing.ts") as typeof GoverningModule;
    return governingOf(
      () => all.current.snapshot,
      () => all.instructions,
    );
  };
  return {
    forGate: () => (known ??= load()).forGate(),
    forShield: () => (known ??= load()).forShield(),
  };
}

function worldOf(all: Building, sandbox: Parameters<typeof openWorld>[0]["sandbox"]): SessionWorld {
  const { options, place, inbox, outbox, newId } = all;
  return openWorld({
    snapshot: options.snapshot,
    place,
    entrypoint: options.entrypoint,
    ripgrep: options.programs?.ripgrep,
    sandbox,
    childEnv: () => all.current.snapshot.childEnv,
    gate: {
      rules: () => all.gate.rules,
      mayRead: (path) => all.gate.mayReadName(path),
      mayChangeGuarded: (call) => all.gate.mayChangeGuarded(call),
      governing: () => all.governing.forShield(),
      warn: options.warn,
    },
    moved: (from, to) => all.hooks.surroundings.moved(from, to),
    watchers: (tasks) =>
      taskWatchers({
        show: (signal) => outbox.show(signal),
        newId,
        running: () =>
          tasks()
            .list()
            .filter(({ status }) => status === "running"),
        notify: (entry, how) => inbox.notify(entry, how),
      }),
  });
}

/** Questions need somebody who answers (observed: offered with a permission callback only). */
async function forPeople({ options, plan }: Pick<Assembly, "options" | "plan">): Promise<readonly Tool[]> {
  if (!options.stdioPermissions) return [];
  const preview = options.snapshot.env["CLAUDE_CODE_QUESTION_PREVIEW_FORMAT"] === "html" ? "html" : "markdown";
  return toolsForPeople({ plan, preview });
}
