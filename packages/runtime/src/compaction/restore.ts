// What the model reads again after a compaction, because the summary cannot replace it: recent files, invoked skills, the
// todo list, the plan, what runs in the background, and the lists of skills and agents. Loaded with the first one.

import { findTool, reminder, type Ports } from "@keelson/engine";
import { asReminder, type NewEntry } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";
import { fireSessionStart } from "../hooks/session-events.ts";
import type { Machine } from "../machine/machine.ts";
import { seenFile } from "../mentions/mentioned-files.ts";
import { callUnasked } from "../mentions/unasked-call.ts";
import type { Storage } from "../session/storage.ts";
import type { RunParts } from "../session/ports.ts";
import type { InvokedText } from "../skills/invoked-texts.ts";

const MOST_FILES = 5;
const FILE_LINES = 400;
/** About 5,000 tokens. */
const FILE_CHARACTERS = 20_000;
const SKILL_CHARACTERS = 20_000;
const SKILLS_CHARACTERS = 100_000;
const MOST_TASKS = 50;

/** For the session's own conversation. */
export async function restoreSession(parts: RunParts, ports: Ports): Promise<readonly NewEntry[]> {
  const { storage, machine, gate, hooks, plan, skills, agents } = parts;
  const { state, newId } = storage;
  storage.compacted();
  const hidden = [...(state.instructions?.files() ?? []).map(({ path }) => path), plan.path() ?? ""];
  const entries = [
    ...(await recentFiles({ storage, machine, gate }, ports, hidden)),
    ...invokedSkills(skills.invoked(), newId),
    ...todoReminder(parts),
    ...(await sharedTasks(parts, ports)),
    ...plan.again(),
    ...runningTasks(machine, undefined, newId),
    ...[skills.skills.takeListing(), agents.takeListing()].filter((listing) => listing !== undefined),
  ];
  // An interrupt ends these hooks too.
  const fire: typeof hooks.fire = (event, input) => hooks.fire(event, input, ports.signal);
  const { context } = await fireSessionStart(fire, {
    source: "compact",
    model: ports.model.profile.id,
    title: state.title,
  });
  return [...entries, ...context.map((text) => reminder(text, newId()))];
}

/** For the conversation of a subagent. */
export async function restoreAgent(
  parts: { readonly storage: Storage; readonly machine: Machine; readonly gate: Gate; readonly id: string },
  ports: Ports,
): Promise<readonly NewEntry[]> {
  const files = await recentFiles(parts, ports, []);
  return [...files, ...runningTasks(parts.machine, parts.id, parts.storage.newId)];
}

/** As they are on disk now, if the rules still let the model read them. */
async function recentFiles(
  { storage, machine, gate }: { readonly storage: Storage; readonly machine: Machine; readonly gate: Gate },
  ports: Ports,
  hidden: readonly string[],
): Promise<readonly NewEntry[]> {
  const { seen } = machine.tools;
  const paths = seen.recent().filter((path) => !hidden.includes(path));
  seen.forgetContents();
  const read = findTool(storage.state.allTools, "Read");
  if (!read) return [];
  const entries: NewEntry[] = [];
  let found = 0;
  for (const path of paths) {
    if (found === MOST_FILES || ports.signal.aborted) break;
    const file = await seenFile(path, FILE_LINES, { ...ports, gate, read });
    if (file.length === 0) continue;
    found++;
    entries.push(...file.map((entry) => shortened(entry, path, storage.newId)));
  }
  return entries;
}

/** A file with very long lines is only named. */
function shortened(entry: NewEntry, path: string, newId: () => string): NewEntry {
  const length = JSON.stringify(entry.type === "attachment" ? (entry.rendered ?? []) : []).length;
  if (length <= FILE_CHARACTERS) return entry;
  return reminder(
    `You have worked with ${path}. It is too long to be repeated here: read what you need of it.`,
    newId(),
  );
}

/** Newest first, as many as there is room for. */
function invokedSkills(invoked: readonly InvokedText[], newId: () => string): readonly NewEntry[] {
  let room = SKILLS_CHARACTERS;
  const skills = invoked
    .map(({ name, path, text }) => ({ name, path, content: cut(text) }))
    .filter(({ content }) => (room -= content.length) >= 0);
  if (skills.length === 0) return [];
  const words = skills.map(({ name, content }) => `## ${name}\n\n${content}`).join("\n\n");
  return [
    {
      type: "attachment",
      uuid: newId(),
      attachment: { type: "invoked_skills", skills },
      rendered: [{ content: asReminder(`These skills were invoked in this session. They still apply:\n\n${words}`) }],
      renderedRole: "user",
    },
  ];
}

const cut = (text: string) =>
  text.length <= SKILL_CHARACTERS
    ? text
    : `${text.slice(0, SKILL_CHARACTERS)}\n… (invoke the skill again for the rest)`;

function todoReminder({ storage: { state, newId } }: RunParts): readonly NewEntry[] {
  const todos = state.todos.get();
  if (todos.length === 0) return [];
  const lines = todos.map(({ status, content }) => `- [${status}] ${content}`);
  return [
    {
      type: "attachment",
      uuid: newId(),
      attachment: { type: "todo_reminder", content: todos, itemCount: todos.length },
      rendered: [{ content: asReminder(`Your todo list (do not mention this to the user):\n${lines.join("\n")}`) }],
      renderedRole: "user",
    },
  ];
}

/** If the session uses the shared list: what TaskList shows. */
async function sharedTasks({ gate, storage: { newId } }: RunParts, ports: Ports): Promise<readonly NewEntry[]> {
  const tool = findTool(ports.tools(), "TaskList");
  if (!tool) return [];
  const block = { type: "tool_use" as const, id: `toolu_${newId()}`, name: tool.name, input: {} };
  const { output, failed } = await callUnasked(block, { ports, gate, advice: "" });
  const shown = failed || output === undefined ? "" : tool.show(output);
  if (typeof shown !== "string" || shown === "") return [];
  return [reminder(`The shared task list:\n${shown}`, newId())];
}

/** What the agent started and did not hear of yet. */
function runningTasks(machine: Machine, owner: string | undefined, newId: () => string): readonly NewEntry[] {
  const running = machine.tasks
    .list()
    .filter((task) => task.status === "running" && task.inBackground && task.owner === owner)
    .slice(-MOST_TASKS);
  if (running.length === 0) return [];
  const lines = running.map(({ id, type, description, outputPath }) =>
    [`- ${id} (${type}): ${description}`, outputPath && `output: ${outputPath}`].filter(Boolean).join(", "),
  );
  const words = `These run in the background. You are notified when one ends; TaskStop ends one:\n${lines.join("\n")}`;
  return [reminder(words, newId())];
}
