// /permissions: the rules by behavior and the working directories. Rules can be added and removed.

import type { PermissionUpdate, ReplyTo, RuleBehavior, RuleValue } from "@keelson/protocol";
import { ruleText } from "@keelson/client/permission-ask";
import type { Done, Panel } from "../../screen/view.ts";
import { errorText, type PanelContext, type PanelEnd } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";
import { PanelStack } from "../panel-stack.ts";
import { choicesPanel, linePanel } from "../parts.ts";

type UpdateDestination = PermissionUpdate["destination"];

type PermissionState = ReplyTo<"list_permission_rules">["state"];

const BEHAVIORS: readonly RuleBehavior[] = ["allow", "ask", "deny"];
const TABS = ["Allow", "Ask", "Deny", "Folders"];
const ADD = "add";

const ABOUT: Readonly<Record<RuleBehavior, string>> = {
  allow: "runs without asking",
  ask: "always asks",
  deny: "is always refused",
};

const SCOPES: readonly (readonly [destination: UpdateDestination, label: string, detail: string])[] = [
  ["localSettings", "This project, for you", ".claude/settings.local.json"],
  ["projectSettings", "This project, for everyone", ".claude/settings.json"],
  ["userSettings", "All your projects", "~/.claude/settings.json"],
  ["session", "This session only", "not saved"],
];

const SOURCES: Readonly<Record<string, string>> = {
  policySettings: "managed settings",
  flagSettings: "--settings",
  cliArg: "command line",
  localSettings: "project, for you",
  projectSettings: "project",
  userSettings: "all projects",
  session: "this session",
  command: "a command, until the next prompt",
};

export async function permissionsPanel(context: PanelContext): Promise<Panel<PanelEnd>> {
  const state = new RulesState(context);
  await state.load();
  return new PanelStack<PanelEnd>((stack) => state.list(stack));
}

class RulesState {
  readonly #context: PanelContext;
  #reply: PermissionState = { rules: [], workspaceDirectories: [], originalCwd: "", managedOnly: false };
  #said: { readonly text: string; readonly style: "success" | "error" } | undefined;
  readonly #done: string[] = [];

  constructor(context: PanelContext) {
    this.#context = context;
  }

  async load(): Promise<void> {
    const { state } = await this.#context.requests.request("list_permission_rules");
    this.#reply = state;
  }

  list(stack: PanelStack<PanelEnd>): Panel<PanelEnd> {
    return new ListPanel<PanelEnd>({
      title: "Permissions",
      harmless: true, // both questions that Enter opens want an arrow
      keys: this.#context.keys,
      tabs: TABS,
      contexts: ["Rules"],
      entries: (tab) => this.#entries(tab),
      empty: () => "None",
      accept: (entry, tab) => this.#open(entry, tab, stack),
      act: (action, entry, tab) => {
        if (action === "rules:add") this.#add(tab, stack);
        if (action === "rules:remove" && entry) this.#remove(entry, tab, stack);
      },
      closed: () => (this.#done.length === 0 ? {} : { note: this.#done.join(", ") }),
      hints: (entry) => [
        { action: "rules:add", does: "add" },
        ...(entry === undefined || entry.id === ADD ? [] : [{ action: "rules:remove", does: "remove" }]),
        { action: "tabs:next", does: "next tab" },
      ],
      status: () => this.#said,
    });
  }

  #entries(tab: number): readonly ListEntry[] {
    const behavior = BEHAVIORS[tab];
    if (behavior === undefined) {
      const { originalCwd, workspaceDirectories } = this.#reply;
      return [
        { id: ADD, label: "Add a folder…" },
        { id: originalCwd, label: originalCwd, value: "where the session started" },
        ...workspaceDirectories.map((path) => ({ id: path, label: path, value: "added" })),
      ];
    }
    const rules = this.#reply.rules.filter(({ ruleBehavior }) => ruleBehavior === behavior);
    return [
      { id: ADD, label: "Add a rule…", about: `A call that matches one of these rules ${ABOUT[behavior]}` },
      ...rules.map((rule, index) => ({
        id: `${index}:${rule.source}:${ruleText(rule.ruleValue)}`,
        label: ruleText(rule.ruleValue),
        value: SOURCES[rule.source] ?? rule.source,
        about: `A call that matches ${ABOUT[behavior]}`,
      })),
    ];
  }

  #open(entry: ListEntry, tab: number, stack: PanelStack<PanelEnd>): void {
    if (entry.id === ADD) this.#add(tab, stack);
    else this.#remove(entry, tab, stack);
  }

  #add(tab: number, stack: PanelStack<PanelEnd>): void {
    const { keys } = this.#context;
    const behavior = BEHAVIORS[tab];
    const what =
      behavior === undefined
        ? {
            title: "Add a folder",
            about: "A folder that tools may read and change, as if it were part of the project.",
            placeholder: "../other-project",
          }
        : {
            title: `Add a rule: ${behavior}`,
            about: "A tool, or a tool with a pattern: Bash(npm run *), Edit(src/**), WebFetch(domain:example.com).",
            placeholder: "Bash(npm test *)",
          };
    const problem = (text: string) =>
      behavior !== undefined && ruleOf(text) === undefined
        ? `"${text}" is not a rule: write a tool, or a tool with a pattern in brackets`
        : undefined;
    stack.open(linePanel({ ...what, keys, problem }), (text) => {
      if (text === null) return;
      const choices = SCOPES.map(([, label, detail]) => ({ label, detail }));
      stack.open(choicesPanel({ title: `Where to save ${text}`, choices, keys, afterTyping: true }), (index) => {
        if (index === null) return;
        const destination = SCOPES[index]![0];
        const update: PermissionUpdate =
          behavior === undefined
            ? { type: "addDirectories", directories: [text], destination }
            : { type: "addRules", rules: [ruleOf(text)!], behavior, destination };
        void this.#update(update, `Added ${text} (${behavior ?? "folder"})`);
      });
    });
  }

  #remove(entry: ListEntry, tab: number, stack: PanelStack<PanelEnd>): Done<PanelEnd> | undefined {
    const update = this.#removal(entry, tab);
    if (update === undefined) return undefined;
    const choices = [{ label: "Remove it" }, { label: "Keep it" }];
    const about = entry.value === undefined ? entry.label : `${entry.label} (${entry.value})`;
    stack.open(
      choicesPanel({ title: "Remove?", about, choices, keys: this.#context.keys, marked: 1, afterTyping: true }),
      (index) => {
        if (index === 0) void this.#update(update, `Removed ${entry.label}`);
      },
    );
    return undefined;
  }

  #removal(entry: ListEntry, tab: number): PermissionUpdate | undefined {
    const behavior = BEHAVIORS[tab];
    if (entry.id === ADD) return undefined;
    if (behavior === undefined) {
      if (entry.id === this.#reply.originalCwd) {
        this.#said = { text: "The folder of the session cannot be removed", style: "error" };
        return undefined;
      }
      return { type: "removeDirectories", directories: [entry.id], destination: "session" };
    }
    const rules = this.#reply.rules.filter(({ ruleBehavior }) => ruleBehavior === behavior);
    const rule = rules[Number(entry.id.split(":", 1)[0])];
    const destination = SCOPES.map(([name]) => name).find((name) => name === rule?.source);
    if (rule === undefined || destination === undefined) {
      this.#said = { text: `This rule comes from ${entry.value}: it can only be removed there`, style: "error" };
      return undefined;
    }
    return { type: "removeRules", rules: [rule.ruleValue], behavior, destination };
  }

  async #update(update: PermissionUpdate, done: string): Promise<void> {
    const { requests, redraw } = this.#context;
    try {
      const reply = await requests.request("update_permissions", { updates: [update] });
      this.#reply = reply.state;
      if (reply.problems?.length) throw new Error(reply.problems.join("; "));
      this.#done.push(done);
      this.#said = { text: done, style: "success" };
    } catch (error) {
      this.#said = { text: errorText(error), style: "error" };
    }
    redraw();
  }
}

/** Undefined if the text is not a rule. */
export function ruleOf(text: string): RuleValue | undefined {
  const found = /^([^\s()]+)(?:\(([\s\S]+)\))?$/.exec(text.trim());
  if (found === null) return undefined;
  const [, toolName = "", ruleContent] = found;
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}
