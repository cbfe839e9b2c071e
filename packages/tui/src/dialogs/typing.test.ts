// Typing never approves: texts, at any speed, in everything that asks or acts. Each file that makes something to choose
// from has a row here, or is known to be harmless.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { InputEvent, Key } from "../input/event.ts";
import { mcpPanel } from "../panels/change/mcp.ts";
import { permissionsPanel } from "../panels/change/permissions.ts";
import { pluginPanel } from "../panels/change/plugins.ts";
import { tasksPanel } from "../panels/change/tasks.ts";
import type { PanelContext } from "../panels/context.ts";
import { scriptedRequests } from "../panels/panel.test-support.ts";
import { modelPicker } from "../pickers/model-picker.ts";
import { rewindPicker } from "../pickers/rewind-picker.ts";
import type { Panel } from "../screen/view.ts";
import { defaultKeys as keys } from "../widgets/key-lookup.ts";
import { frameOf, key, plainTheme } from "../widgets/panel.test-support.ts";
import {
  apiKeyPanel,
  bypassPanel,
  changedPanel,
  includesPanel,
  mcpServerPanel,
  SetupPanel,
  trustPanel,
} from "./before/index.ts";
import { acceptEdits, allowRule, asks, dialogFor, requests as requested, responseOf } from "./dialog.test-support.ts";

const TEXTS = 10_000;

interface Typist {
  /** Someone was writing a prompt when it came up. */
  isTyping(): boolean;
}

interface Opened {
  readonly panel: Panel<any>;
  /** Whether this answer has consequences. Absent for a panel that acts while it is open. */
  approves?(value: any): boolean;
  /** What it did while it was open. */
  acted?(): unknown;
}

interface Row {
  readonly name: string;
  /** The files it covers. */
  readonly files: readonly string[];
  /** It comes up by itself, and knows whether a prompt is half written. */
  readonly knowsPrompt?: boolean;
  open(typist: Typist): Opened | Promise<Opened>;
}

const allows = (answer: any) => {
  const { behavior, action } = (responseOf(answer) ?? {}) as { behavior?: unknown; action?: unknown };
  return answer.kind === "reply" && (behavior === "allow" || action === "accept");
};
const asked = (name: string, file: string, request: Parameters<typeof dialogFor>[0], plain = false): Row => ({
  name,
  files: [`dialogs/${file}`],
  knowsPrompt: true,
  open: ({ isTyping }) => ({ panel: dialogFor(request, { isTyping, plain }), approves: allows }),
});
const before = (name: string, file: string, panel: () => Panel<unknown>, approves: (value: any) => boolean): Row => ({
  name,
  files: [`dialogs/before/${file}`],
  open: () => ({ panel: panel(), approves }),
});

const bash = asks(
  "Bash",
  { command: "rm -rf build && git push --force" },
  { permission_suggestions: [allowRule("Bash", "git push *")] },
);
const edit = asks(
  "Edit",
  { file_path: "/home/u/p/a.ts", old_string: "a", new_string: "b" },
  { permission_suggestions: [acceptEdits] },
);
const form = requested("elicitation", {
  mcp_server_name: "el",
  message: "Who are you?",
  mode: "form",
  requested_schema: {
    type: "object",
    properties: {
      name: { type: "string" },
      ok: { type: "boolean" },
      color: { type: "string", enum: ["red", "green"] },
    },
  },
});
const empty = requested("elicitation", {
  mcp_server_name: "el",
  message: "Go on?",
  mode: "form",
  requested_schema: {},
});
const url = requested("elicitation", { mcp_server_name: "el", message: "", mode: "url", url: "https://example.com/x" });

const facts = { folder: "/p", hooks: 1, allowRules: ["Bash"], env: [], mcpServers: [], commands: [] };
const server = { name: "db", starts: "npx db", kind: "command", file: "/p/.mcp.json" } as const;
const setup = () => {
  const themes = ["auto", "dark"].map((name) => ({ name, title: name }));
  const panel = new SetupPanel({ keys, version: "1", themes, current: "dark", themeFor: () => plainTheme });
  panel.setOffers([{ title: "anthropic", detail: "ANTHROPIC_API_KEY" }]);
  panel.take(key("enter"));
  return panel;
};

const RULES = {
  rules: [{ source: "localSettings", ruleBehavior: "deny", ruleValue: { toolName: "Bash" } }],
  workspaceDirectories: ["/other"],
  originalCwd: "/p",
};
const REPLIES = {
  list_permission_rules: { state: RULES },
  mcp_status: { mcpServers: [{ name: "files", status: "disabled", transport: "stdio" }] },
  reload_plugins: { plugins: [{ name: "git" }], error_count: 0 },
  get_settings: { effective: { enabledPlugins: { "lint@shop": false } }, sources: [] },
};
const CHANGES = new Set([
  "update_permissions",
  "mcp_toggle",
  "mcp_reconnect",
  "mcp_authenticate",
  "stop_task",
  "update_settings",
]);

const acting = (name: string, file: string, open: (context: PanelContext) => unknown): Row => ({
  name,
  files: [`panels/change/${file}`],
  async open() {
    const requests = scriptedRequests(REPLIES);
    const tasks = () => [{ id: "b1", type: "local_bash", description: "npm run dev" }];
    const context = {
      requests,
      keys,
      tasks,
      agents: () => [],
      redraw() {},
      host: { now: () => 0 },
    } as unknown as PanelContext;
    const panel = (await open(context)) as Panel<unknown>;
    return { panel, acted: () => requests.asked.find(({ subtype }) => CHANGES.has(subtype)) };
  },
});

const ROWS: readonly Row[] = [
  asked("a command", "permission/permission-dialog.ts", bash),
  asked("a command, for a screen reader", "permission/permission-dialog.ts", bash, true),
  asked("an edit", "permission/permission-dialog.ts", edit),
  asked("a plan", "plan-dialog.ts", asks("ExitPlanMode", { plan: "1. Look" })),
  asked("no plan", "plan-dialog.ts", asks("ExitPlanMode", {})),
  asked("a form", "elicitation/form-panel.ts", form),
  asked("a form without fields", "elicitation/form-panel.ts", empty),
  asked("an address", "elicitation/elicitation-dialog.ts", url),
  asked("an unknown dialog", "user-dialog.ts", requested("request_user_dialog", { dialog_kind: "x", payload: {} })),
  before(
    "trust",
    "trust-panel.ts",
    () => trustPanel(facts, { keys }),
    (value) => value === "trust",
  ),
  before(
    "changed settings",
    "trust-panel.ts",
    () => changedPanel({ folder: "/p", inherited: false, files: [{ file: "/p/x", names: ["hooks"] }] }, { keys }),
    (value) => value === "accept",
  ),
  before(
    "a server",
    "mcp-server-panel.ts",
    () => mcpServerPanel(server, { keys }),
    (value) => value !== "skip",
  ),
  before("bypass", "yes-no-panels.ts", () => bypassPanel({ keys }), Boolean),
  before("includes", "yes-no-panels.ts", () => includesPanel(["/etc/x"], { keys }), Boolean),
  before("a key", "yes-no-panels.ts", () => apiKeyPanel({ variable: "K", tail: "x" }, { keys }), Boolean),
  before("a model with a key", "setup-panel.ts", setup, ({ offer }) => offer !== undefined),
  acting("/permissions", "permissions.ts", (context) => permissionsPanel(context)),
  acting("/mcp", "mcp.ts", (context) => mcpPanel(context)),
  acting("/plugin", "plugins.ts", (context) => pluginPanel(context)),
  acting("/tasks", "tasks.ts", (context) => tasksPanel(context)),
  {
    name: "/rewind",
    files: ["pickers/rewind-picker.ts"],
    open() {
      const requests = scriptedRequests({ rewind_files: { canRewind: true, filesChanged: ["/p/a"] } });
      const points = [1, 2, 3].map((id) => ({ id: String(id), text: "x" }));
      return { panel: rewindPicker(points, { requests, keys, redraw() {} }), approves: (value) => value !== null };
    },
  },
  {
    name: "/model",
    files: ["pickers/model-picker.ts"],
    open() {
      const models = ["a", "b", "c"].map((value) => ({
        value,
        resolvedModel: value,
        displayName: value,
        description: "",
      }));
      const requests = { request: async () => ({ models, providers: [] }) as never };
      const options = { keys, redraw: () => undefined, login: () => undefined };
      const panel = modelPicker(
        { models: models as never, inForce: { model: "a", effort: null } as never, requests },
        options,
      );
      return { panel, approves: (value) => value?.model !== undefined };
    },
  },
];

/** Widgets that others are made of, and lists in which nothing has consequences. */
const HARMLESS = [
  "dialogs/before/login-panel.ts", // comes up by its own command only; what is typed there is a name or a key
  "dialogs/question/question-dialog.ts", // answers are words for the model; see question-dialog.test.ts
  "dialogs/question/question-page.ts",
  "editor/history-search.ts",
  "panels/change/choices.ts", // looks, effort and style
  "panels/change/config.ts", // looks and habits; typing searches
  "panels/change/session.ts", // exports
  "panels/list-panel.ts",
  "panels/panel-stack.ts",
  "panels/parts.ts",
  "panels/show/help.ts",
  "panels/show/lists.ts",
  "pickers/session-picker.ts", // opens a session; typing searches
  "pickers/theme-picker.ts",
  "viewer/transcript-viewer.ts", // opens what an agent said
  "widgets/choice-panel.ts",
];

test("everything that asks has a row here, or is harmless", async () => {
  const makes =
    /new (?:ChoicePanel|SelectList|ListPanel|ChoiceList|FormPanel)\b|\b(?:choicesPanel|linePanel)\(|implements Panel</;
  const root = join(import.meta.dir, "..");
  const found: string[] = [];
  for (const path of new Bun.Glob("**/*.ts").scanSync(root)) {
    if (!/\.test(-support)?\.ts$/.test(path) && makes.test(await Bun.file(join(root, path)).text())) found.push(path);
  }
  expect(found.toSorted()).toEqual([...new Set([...HARMLESS, ...ROWS.flatMap(({ files }) => files)])].toSorted());
});

// The same texts each time, and others with KEELSON_RANDOM_SEED.
let state = Number(process.env["KEELSON_RANDOM_SEED"] ?? 1);
const random = (below: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)]!;

const WORDS =
  "maybe use a branch yes y no n ok okay Yes Y approve allow trust accept always please don't x j k jj a d r s i f q c 1 2 3 12 1. 2) 42 3.14 ja nein oui sí да нет はい いいえ 네 نعم לא 是的 👍 straße naïve über d'accord /yes !ls @src #note ? ?? ... - -- ( ) { } [ ] ; = => \" ' ` $x && || > < git push --force rm -rf build npm test function return const let if else for while".split(
    " ",
  );
const JOINS = [" ", " ", " ", " ", "", "\n", "\n\n", "\t", ", ", ". ", " 1 ", "\n1\n", "\n2\n", "\ny\n"];

function makeText(): string {
  const words = Array.from({ length: 1 + random(7) }, () => oneOf(WORDS) + oneOf(JOINS));
  return oneOf(["", "", "", "\n", "1\n", "\t", " ", "2 "]) + words.join("") + oneOf(["", "\n", "\n", "\n\n\n"]);
}

/** What the user does on purpose looks like this; no one can tell it from a text that begins like it. */
const beginsLikeAnAnswer = (text: string) => /^(?:\n|\t|[1-9]\n)/.test(text);

function keysOf(text: string, { inText }: { readonly inText: boolean }): readonly InputEvent[] {
  return [...text].map((character): Key => {
    const name = character === "\n" ? "enter" : character === "\t" ? "tab" : character === " " ? "space" : character;
    return { ...key(name), ...(name === character ? { text: character } : {}), ...(inText ? { inText } : {}) };
  });
}

/** With these, people go about in what they write and change it. */
const CORRECTIONS: readonly Key[] = [
  ...["left", "right", "home", "end", "delete", "backspace"].map((name) => key(name)),
  ...["a", "e", "k", "u", "w", "b", "f", "y", "left", "right"].map((name) => ({ ...key(name), ctrl: true })),
  ...["b", "f", "d", "backspace"].map((name) => ({ ...key(name), alt: true })),
];

const corrected = (events: readonly InputEvent[]): readonly InputEvent[] => [
  ...events.flatMap((event) => [event, ...(random(4) === 0 ? [oneOf(CORRECTIONS), oneOf(CORRECTIONS)] : [])]),
  oneOf(CORRECTIONS),
  key("enter"),
];

const SPEEDS = [0, 20, 120, 400, 3_000];

/** pasted raw: by a terminal that does not say so, all at once. */
const WAYS = ["typed", "typed and corrected", "typed after a half written prompt", "pasted", "pasted raw"] as const;

for (const { name, knowsPrompt, open } of ROWS) {
  test(`${TEXTS} texts at any speed approve nothing: ${name}`, async () => {
    for (let at = 0; at < TEXTS; at++) {
      const way = oneOf(WAYS);
      const isTyping = way === "typed after a half written prompt";
      const looksDeliberate = way === "typed" || way === "typed and corrected" || (isTyping && !knowsPrompt);
      const made = makeText();
      const text = looksDeliberate && beginsLikeAnAnswer(made) ? `x${made}` : made;
      const opened = open({ isTyping: () => isTyping });
      const { panel, approves, acted } = opened instanceof Promise ? await opened : opened;
      panel.render(frameOf(40, 6));
      const typed = keysOf(text, { inText: way === "pasted raw" && text.length > 1 });
      const events: readonly InputEvent[] =
        way === "pasted"
          ? [{ kind: "paste", text }, key("enter")]
          : way === "typed and corrected"
            ? corrected(typed)
            : typed;
      const speed = oneOf(SPEEDS);
      let now = 10_000;
      for (const event of events) {
        now += speed;
        const done = panel.take(event, now);
        if (done && approves?.(done.value)) throw new Error(`${JSON.stringify(text)}, ${way}, ${speed} ms: approved`);
        if (done) break;
      }
      if (acted?.()) throw new Error(`${JSON.stringify(text)}, ${way}, ${speed} ms: ${JSON.stringify(acted())}`);
    }
  });
}
