// /hooks, /agents, /skills and /memory: lists to look at, whose files can be opened in the editor.

import { counted } from "../../blocks/amounts.ts";
import { shortPath } from "../../dialogs/visible.ts";
import type { Panel } from "../../screen/view.ts";
import type { PanelContext, PanelEnd } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";
import { PanelStack } from "../panel-stack.ts";
import { fixedLines, textPanel } from "../parts.ts";

export async function hooksPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { hooks, policy } = await context.requests.request("get_hooks_listing");
  const entries = hooks.map((hook, index): ListEntry => {
    const { event, matcher = "", type, label, source, file, timeout } = hook;
    const facts = [type, source, ...(timeout === undefined ? [] : [`timeout ${timeout} s`])];
    return {
      id: String(index),
      label: matcher === "" ? event : `${event} (${matcher})`,
      value: label,
      about: [label, facts.join(", "), ...(file === undefined ? [] : [file])].join(" · "),
    };
  });
  const isOff = policy?.allDisabled === true;
  return fileList(context, {
    title: "Hooks",
    entries: isOff ? [] : entries,
    empty: isOff
      ? 'Hooks are off: "disableAllHooks" is true in the settings'
      : 'No hooks. Define them under "hooks" in a settings file',
    fileOf: (id) => hooks[Number(id)]?.file,
  });
}

export async function agentsPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { agents } = await context.requests.request("list_agents");
  const entries = agents.map((agent): ListEntry => {
    const { name, description, source = "", model = "inherit", tools, disallowed_tools: refused = [], file } = agent;
    const all = refused.length === 0 ? "all tools" : `all tools but ${refused.length}`;
    const allowed = tools === undefined ? all : counted(tools.length, "tool");
    return {
      id: name,
      label: name,
      value: [...(source === "" ? [] : [source]), model, allowed].join(" · "),
      about: [
        description,
        ...(tools === undefined ? [] : [`Tools: ${tools.join(", ")}`]),
        ...(refused.length === 0 ? [] : [`Not: ${refused.join(", ")}`]),
        ...(file === undefined ? [] : [file]),
      ].join(" · "),
    };
  });
  return fileList(context, {
    title: "Agents",
    entries,
    empty: "No agents. Define one in .claude/agents/<name>.md",
    fileOf: (id) => agents.find(({ name }) => name === id)?.file,
  });
}

export async function skillsPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { skills } = await context.requests.request("reload_skills");
  return new ListPanel<PanelEnd>({
    harmless: true,
    title: "Skills",
    keys: context.keys,
    searches: true,
    entries: () =>
      skills.map(({ name, description = "", argumentHint = "" }) => ({
        id: name,
        label: `/${name}${argumentHint === "" ? "" : ` ${argumentHint}`}`,
        value: description,
        about: description,
      })),
    empty: () => "No skills. Write one to .claude/skills/<name>/SKILL.md",
    accept: ({ id }) => ({ value: { effects: [{ kind: "draft", text: `/${id} ` }] } }),
    closed: () => ({}),
    hints: () => [{ action: "select:accept", does: "put into the prompt" }],
  });
}

export async function memoryPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const { host, requests } = context;
  // The summary is estimated here, without a request to the provider.
  const [{ memoryFiles }, { memory_directory: notes }] = await Promise.all([
    requests.request("get_context_usage", { detail: "summary" }),
    requests.request("get_session_info"),
  ]);
  const known = new Set(memoryFiles.map(({ path }) => path));
  const configDir = host.env["CLAUDE_CONFIG_DIR"] || `${host.home}/.claude`;
  const usual: readonly (readonly [path: string, about: string, label?: string])[] = [
    [`${host.cwd}/CLAUDE.md`, "Instructions for this project, shared"],
    [`${host.cwd}/CLAUDE.local.md`, "Instructions for this project, for you"],
    [`${configDir}/CLAUDE.md`, "Instructions for all your projects"],
    ...(notes ? [[`${notes}/MEMORY.md`, "What the agent noted in this project", "MEMORY.md"] as const] : []),
  ];
  return fileList(context, {
    title: "Memory",
    entries: [
      ...memoryFiles.map(({ path, type, tokens }) => ({
        id: path,
        label: shortPath(path, host),
        value: tokens === undefined ? type : `${type}, about ${counted(tokens, "token")}`,
        about: "Part of this conversation",
      })),
      ...usual
        .filter(([path]) => !known.has(path))
        .map(([path, about, label = shortPath(path, host)]) => ({ id: path, label, value: "not in use", about })),
    ],
    empty: "No instruction files",
    fileOf: (id) => id,
  });
}

interface FileListOptions {
  readonly title: string;
  readonly entries: readonly ListEntry[];
  readonly empty: string;
  fileOf(id: string): string | undefined;
}

/** Enter opens the file of an entry in the editor, or shows what is known of it if it has none. */
function fileList(context: PanelContext, { title, entries, empty, fileOf }: FileListOptions): Panel<PanelEnd> {
  const { keys } = context;
  return new PanelStack<PanelEnd>(
    (stack) =>
      new ListPanel<PanelEnd>({
        harmless: true,
        title,
        keys,
        searches: true,
        entries: () => entries,
        empty: () => empty,
        accept(entry) {
          const path = fileOf(entry.id);
          if (path !== undefined) return { value: { note: `Opened ${path}`, effects: [{ kind: "edit-file", path }] } };
          const text = [entry.value, entry.about].filter(Boolean).join("\n\n");
          stack.open(textPanel({ title: entry.label, keys, lines: fixedLines(text) }), () => undefined);
          return undefined;
        },
        closed: () => ({}),
        hints: (entry) => {
          if (entry === undefined) return [];
          return [{ action: "select:accept", does: fileOf(entry.id) === undefined ? "details" : "open in the editor" }];
        },
      }),
  );
}
