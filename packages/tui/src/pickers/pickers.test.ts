import { expect, test } from "bun:test";
import {
  frame,
  key,
  keys,
  plainTheme,
  randomKeys,
  scriptedRequests,
  settled,
  shown,
  SIZES,
} from "../panels/panel.test-support.ts";
import type { Panel } from "../screen/view.ts";
import { RequestError } from "@keelson/client";
import { windowStart } from "./list-window.ts";
import { fileSize, timeAgo } from "./measures.ts";
import { applyModel, loadModels, modelPicker, type ModelOption } from "./model-picker.ts";
import { rewindPicker } from "./rewind-picker.ts";
import { performRewind, type RewindPoint } from "./rewind.ts";
import { themePicker } from "./theme-picker.ts";

async function press<T>(panel: Panel<T>, ...names: readonly string[]): Promise<T | undefined> {
  for (const name of names) {
    const end = panel.take(key(name), 0);
    await settled();
    shown(panel);
    if (end) return end.value;
  }
  return undefined;
}

const POINTS = [
  { id: "p1", text: "make a\nparser" },
  { id: "p2", text: "now test it" },
  { id: "p3", text: "thanks" },
];

const FILES: Readonly<Record<string, unknown>> = {
  p1: { canRewind: true, filesChanged: ["/w/a.ts", "/w/b.ts"], insertions: 12, deletions: 3 },
  p2: { canRewind: true, filesChanged: ["/w/b.ts"], insertions: 2, deletions: 0 },
  p3: new Error("No file checkpoint found for this message."),
};

function rewinding() {
  const requests = scriptedRequests({
    rewind_files: ({ user_message_id: id }: { user_message_id: string }) => FILES[id],
  });
  return { requests, panel: rewindPicker(POINTS, { requests, keys, redraw: () => undefined }) };
}

test("earlier prompts are listed, newest last, with the files changed since; the present is marked", async () => {
  const { panel, requests } = rewinding();
  shown(panel);
  await settled();
  for (const [columns, rows] of SIZES) expect(shown(panel, frame(columns, rows))).toMatchSnapshot();
  expect(requests.asked.map(({ fields }) => fields)).toEqual(
    ["p1", "p2", "p3"].map((id) => ({ user_message_id: id, dry_run: true })),
  );
  expect(await press(panel, "enter")).toBeNull();
});

test("each prompt has one row, with its time or its day", async () => {
  const { requests } = rewinding();
  const now = new Date(2026, 10, 20, 15, 0).getTime();
  const points = [
    { id: "p1", text: "make a parser", sentMs: new Date(2026, 10, 3, 9, 5).getTime() },
    { id: "p2", text: "now test it\nwell", sentMs: new Date(2026, 10, 20, 14, 2).getTime() },
  ];
  const panel = rewindPicker(points, { requests, keys, redraw: () => undefined });
  const at = { ...frame(60, 24), now };
  panel.render(at);
  await settled();
  const rows = panel.render(at).rows.map((row) => Bun.stripANSI(row));
  expect(rows.slice(1, 4)).toEqual([
    "   Nov 3  make a parser              2 files changed, +12 -3",
    "   14:02  now test it well             1 file changed, +2 -0",
    "❯ (now)",
  ]);
});

test("only visible prompts are asked about", async () => {
  const requests = scriptedRequests({ rewind_files: { canRewind: true, filesChanged: [] } });
  const points = Array.from({ length: 500 }, (_each, index) => ({ id: `p${index}`, text: `prompt ${index}` }));
  const panel = rewindPicker(points, { requests, keys, redraw: () => undefined });
  shown(panel);
  await settled();
  expect(requests.asked.length).toBeLessThan(25);
});

test("what is offered depends on whether files changed", async () => {
  const table: readonly (readonly [keys: readonly string[], result: unknown])[] = [
    [["up", "up", "enter", "enter"], { kind: "both", point: POINTS[1] }],
    [["up", "up", "enter", "2", "enter"], { kind: "conversation", point: POINTS[1] }],
    [["up", "up", "enter", "3", "enter"], { kind: "code", point: POINTS[1] }],
    [["up", "up", "enter", "4", "enter"], { kind: "summarize-from", point: POINTS[1] }],
    [["up", "up", "enter", "5", "enter"], { kind: "summarize-up-to", point: POINTS[1] }],
    [["up", "up", "enter", "6", "enter"], null],
    [["home", "enter", "5", "enter"], null],
    [["up", "up", "enter", "escape"], null],
    [["up", "enter", "1", "enter"], { kind: "conversation", point: POINTS[2] }],
    [["up", "enter", "2", "enter"], { kind: "summarize-from", point: POINTS[2] }],
    [["home", "enter", "enter"], { kind: "both", point: POINTS[0] }],
    [["escape"], null],
  ];
  for (const [names, result] of table) {
    const { panel } = rewinding();
    shown(panel);
    await settled();
    expect([names, await press(panel, ...names)]).toEqual([names, result as never]);
  }
});

test("a summary is offered if there is something that is no summary yet", async () => {
  const offers = async (points: readonly RewindPoint[], ...names: readonly string[]) => {
    const requests = scriptedRequests({ rewind_files: { canRewind: true, filesChanged: [] } });
    const panel = rewindPicker(points, { requests, keys, redraw: () => undefined });
    shown(panel);
    await press(panel, ...names, "enter");
    return ["Summarize from here", "Summarize up to here"].map((label) => shown(panel).includes(label));
  };
  const [first, second, third] = POINTS as [RewindPoint, RewindPoint, RewindPoint];
  const compacted = [{ ...first, isSummarized: true as const }, second, third];
  expect(await offers(POINTS, "up")).toEqual([true, true]);
  expect(await offers(POINTS, "home")).toEqual([true, false]);
  expect(await offers(compacted, "up")).toEqual([true, true]);
  expect(await offers(compacted, "up", "up")).toEqual([true, false]);
  expect(await offers(compacted, "home")).toEqual([false, false]);
});

test("performRewind() summarizes on either side of a prompt, and leaves it to the session to say why it could not", async () => {
  const point = POINTS[1]!;
  const requests = scriptedRequests({ compact_conversation: { prompt: "the prompt", preTokens: 9, postTokens: 3 } });
  const [from, upTo] = [
    await performRewind({ kind: "summarize-from", point }, requests),
    await performRewind({ kind: "summarize-up-to", point }, requests),
  ];
  expect([from.draft, upTo.draft]).toEqual(["the prompt", undefined]);
  expect(upTo.note).toContain("Summarized everything before that prompt");
  expect(requests.asked.map(({ fields }) => fields)).toEqual([
    { user_message_id: "p2", direction: "from" },
    { user_message_id: "p2", direction: "up_to" },
  ]);
  const failing = scriptedRequests({ compact_conversation: new RequestError("overloaded", "not_compacted") });
  expect(await performRewind({ kind: "summarize-from", point }, failing)).toEqual({
    note: "The conversation stays as it is",
    conversation: false,
  });
  const busy = scriptedRequests({ compact_conversation: new RequestError("a run is active", "busy") });
  expect(performRewind({ kind: "summarize-up-to", point }, busy)).rejects.toThrow("a run is active");
});

test("without file checkpoints, only the conversation is offered", async () => {
  const requests = scriptedRequests({ rewind_files: new Error("File rewinding is not enabled.") });
  const panel = rewindPicker(POINTS, { requests, keys, redraw: () => undefined });
  shown(panel);
  await settled();
  expect(shown(panel)).toContain("File checkpoints are off");
  await press(panel, "up", "enter");
  expect(shown(panel)).not.toContain("Restore code");
});

test("files that may not be restored are named before and after, and so is a checkpoint that is not used", async () => {
  const refused = [{ path: "/w/.bashrc", reason: "It is protected" }];
  const replies: Readonly<Record<string, unknown>> = {
    p1: { canRewind: true, filesChanged: ["/w/a.ts"], insertions: 1, deletions: 0, refused },
    p2: { canRewind: true, filesChanged: [], insertions: 0, deletions: 0, refused },
    p3: new Error("Files cannot be restored: Keelson cannot verify the checkpoint of this prompt"),
  };
  const requests = scriptedRequests({
    rewind_files: ({ user_message_id: id }: { user_message_id: string }) => replies[id],
  });
  const panel = rewindPicker(POINTS, { requests, keys, redraw: () => undefined });
  shown(panel);
  await settled();
  expect(shown(panel)).toContain("1 file changed, +1 -0; 1 file cannot be restored");
  expect(shown(panel)).toContain("Files cannot be restored: Keelson cannot verify…");
  await press(panel, "home", "enter");
  expect(shown(panel)).toContain("/w/.bashrc: cannot be restored. It is protected");
  expect((await performRewind({ kind: "code", point: POINTS[0]! }, requests)).note).toBe(
    "Restored the code, except /w/.bashrc (It is protected)",
  );
});

test("performRewind() restores the code first, then the conversation, and returns the prompt for the input", async () => {
  const requests = scriptedRequests({
    rewind_files: { canRewind: true },
    rewind_conversation: { prompt: "the prompt" },
  });
  const point = POINTS[0]!;
  expect(await performRewind({ kind: "both", point }, requests)).toEqual({
    note: "Restored the conversation and the code",
    conversation: true,
    draft: "the prompt",
  });
  expect(requests.asked.map(({ subtype }) => subtype)).toEqual(["rewind_files", "rewind_conversation"]);
  expect(await performRewind({ kind: "code", point }, requests)).toEqual({
    note: "Restored the code",
    conversation: false,
  });
  const failing = scriptedRequests({ rewind_files: new Error("a link"), rewind_conversation: {} });
  expect(performRewind({ kind: "both", point }, failing)).rejects.toThrow("a link");
  expect(failing.asked).toHaveLength(1);
});

const LEVELS = ["low", "medium", "high"] as const;
const MODELS: readonly ModelOption[] = [
  {
    value: "default",
    resolvedModel: "m-1",
    displayName: "Default",
    description: "Started with",
    supportedEffortLevels: LEVELS,
  },
  { value: "haiku", resolvedModel: "m-2", displayName: "Haiku", description: "For quick answers" },
  { value: "opus", resolvedModel: "m-3", displayName: "Opus", description: "Hard work", supportedEffortLevels: LEVELS },
];

const PROVIDERS = [
  {
    provider: "openai",
    title: "OpenAI",
    credentials: "OPENAI_API_KEY",
    models: [
      {
        id: "gpt-9",
        contextWindow: 400_000,
        maxTokens: 100_000,
        images: true,
        thinking: "adaptive",
        price: { input: 1.25, output: 10 },
      },
      { id: "gpt-9-mini", contextWindow: null, maxTokens: null, images: null, thinking: null, price: null },
    ],
  },
  { provider: "groq", title: "Groq", credentials: "keychain", problem: "Could not reach https://g.test", models: [] },
  { provider: "xai", title: "xAI", credentials: null, missing: "no key: XAI_API_KEY is not set", models: [] },
];

function picking(inForce: { model: string; effort: string | null }, providers: unknown = PROVIDERS) {
  const logins: string[] = [];
  const requests = scriptedRequests({ list_models: { models: MODELS, providers } });
  const panel = modelPicker(
    { models: MODELS, inForce: inForce as never, requests },
    { keys, redraw: () => undefined, login: (provider) => logins.push(provider) },
  );
  return { panel, logins, requests };
}

test("the model picker chooses a model of any provider, and an effort", async () => {
  const table: readonly (readonly [keys: readonly string[], result: unknown])[] = [
    [["enter"], {}],
    [["down", "enter"], { model: "haiku" }],
    [["right", "enter"], { effort: "high" }],
    [["left", "left", "left", "enter"], { effort: null }],
    [["right", "left", "enter"], {}],
    [["down", "down", "right", "enter"], { model: "opus", effort: "high" }],
    [["right", "down", "enter"], { model: "haiku" }],
    [["down", "down", "down", "enter"], { model: "openai/gpt-9" }],
    [["m", "i", "n", "i", "up", "enter"], { model: "openai/gpt-9-mini" }],
    // What was typed chooses nothing by itself.
    [["m", "i", "n", "i", "enter"], undefined],
    [["z", "/", "y", "down", "enter"], { model: "z/y" }],
    [["escape"], null],
  ];
  for (const [names, result] of table) {
    const { panel, requests } = picking({ model: "m-1", effort: "medium" });
    shown(panel);
    await settled();
    expect([names, await press(panel, ...names)]).toEqual([names, result as never]);
    expect(requests.asked).toEqual([{ subtype: "list_models", fields: { providers: true } }]);
  }
});

test("the model picker shows window, price and source of the key, and what is missing for the others", async () => {
  const { panel, logins } = picking({ model: "openai/gpt-9", effort: null });
  expect(shown(panel)).toContain("Asking the providers for their models…");
  await settled();
  for (const [columns, rows] of [...SIZES, [50, 30], [80, 10]] as const)
    expect(shown(panel, frame(columns, rows))).toMatchSnapshot();
  expect(shown(panel)).toContain("400k · $1.25 in, $10 out · OPENAI_API_KEY");
  expect(await press(panel, "x", "a", "i", "up", "enter")).toBeUndefined();
  expect(logins).toEqual(["xai"]);
});

test("the model picker works where providers cannot be asked", async () => {
  const { panel } = picking({ model: "m-1", effort: null }, undefined);
  await settled();
  expect(shown(panel)).not.toContain("Asking the providers");
  expect(await press(panel, "down", "enter")).toEqual({ model: "haiku" });
});

test("a chosen model and effort are applied through control requests", async () => {
  const requests = scriptedRequests({
    list_models: { models: MODELS },
    get_settings: { applied: { model: "m-1", effort: null } },
    set_model: { model: "m-3" },
    apply_flag_settings: undefined,
  });
  expect(await loadModels(requests)).toEqual({ models: MODELS, inForce: { model: "m-1", effort: null } });
  expect(await applyModel({ model: "opus", effort: "high" }, requests)).toEqual({ note: "Set effort to high" });
  expect(requests.asked.slice(2)).toEqual([
    { subtype: "set_model", fields: { model: "opus" } },
    { subtype: "apply_flag_settings", fields: { settings: { effortLevel: "high" } } },
  ]);
  expect(await applyModel({ model: "opus" }, requests)).toEqual({});
});

const THEMES = [
  { name: "dark", label: "Dark" },
  { name: "light", label: "Light" },
];

test("the theme picker shows a sample of the marked theme and returns its name", async () => {
  const asked: string[] = [];
  const themeNamed = (name: string) => {
    asked.push(name);
    return plainTheme;
  };
  const panel = themePicker(THEMES, { keys, current: "light", themeNamed });
  for (const [columns, rows] of SIZES) expect(shown(panel, frame(columns, rows))).toMatchSnapshot();
  expect(await press(panel, "up", "enter")).toBe("dark");
  expect(asked).toContain("dark");
  expect(await press(panel, "escape")).toBeNull();
});

test("no keys break the pickers, and Esc always ends them", () => {
  const makers: readonly (() => Panel<unknown>)[] = [
    () => rewinding().panel,
    () => picking({ model: "m-1", effort: null }).panel,
    () => themePicker(THEMES, { keys, current: "", themeNamed: () => plainTheme }),
  ];
  for (const make of makers) {
    for (const [columns, rows] of [...SIZES, [12, 3] as const]) {
      let panel = make();
      for (const each of randomKeys(columns, 1_000)) {
        if (panel.take(each, 0)) panel = make();
        shown(panel, frame(columns, rows));
      }
      expect(panel.take(key("escape"), 0)).toEqual({ value: null });
    }
  }
});

test("windowStart() moves as little as needed", () => {
  const table: readonly (readonly [start: number, selected: number, visible: number, count: number, result: number])[] =
    [
      [0, 0, 5, 10, 0],
      [0, 5, 5, 10, 1],
      [3, 2, 5, 10, 2],
      [8, 9, 5, 10, 5],
      [0, 0, 5, 0, 0],
      [4, 0, 20, 5, 0],
    ];
  for (const [start, selected, visible, count, result] of table) {
    expect(windowStart(start, selected, visible, count)).toBe(result);
  }
});

test("times and sizes read as people say them", () => {
  const minute = 60_000;
  const ages = [0, 59_999, minute, 59 * minute, 60 * minute, 47 * 60 * minute, 24 * 60 * 20 * minute];
  expect(ages.map((age) => timeAgo(1e12 - age, 1e12))).toEqual([
    "just now",
    "just now",
    "1 minute ago",
    "59 minutes ago",
    "1 hour ago",
    "1 day ago",
    "2 weeks ago",
  ]);
  expect(timeAgo(1e12 - 100 * 24 * 60 * minute, 1e12)).toBe("2001-06-01");
  expect([0, 1023, 1024, 3_500, 34_000, 5_000_000].map(fileSize)).toEqual([
    "0 B",
    "1023 B",
    "1 KB",
    "3.4 KB",
    "33 KB",
    "4.8 MB",
  ]);
});
