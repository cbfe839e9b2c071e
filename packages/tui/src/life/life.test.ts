import { expect, test } from "bun:test";
import type { JsonObject } from "@keelson/protocol";
import {
  call,
  delta,
  end,
  event,
  failure,
  frameOf,
  plainTheme,
  result,
  start,
  system,
} from "../stream/feed.test-support.ts";
import { renderBanner } from "./banner.ts";
import { renderFooter, type FooterFacts } from "./footer.ts";
import { Attention } from "./notify.ts";
import { Spinner } from "./spinner.ts";
import { BackgroundTasks } from "./tasks.ts";
import { WindowTitle } from "./title.ts";
import { TokenCounter } from "./tokens.ts";
import { TodoView } from "./todos.ts";

const todo = (content: string, status: string, activeForm = `${content}ing`) => ({ content, status, activeForm });
const rowsOf = (view: TodoView, rows = 24) => view.render(frameOf({ rows })).rows;

function written(todos: JsonObject[]): TodoView {
  const view = new TodoView();
  view.take(call("a", "TodoWrite", { todos }));
  view.take(result("a", "ok"));
  return view;
}

test("todos show what to do, what is being done, and what is done", () => {
  const view = written([todo("Mend", "completed"), todo("Paint", "in_progress"), todo("Sail", "pending")]);
  expect(rowsOf(view)).toEqual(["  ■ Mend", "  ◧ Painting", "  □ Sail"]);
  expect(view.activity).toBe("Painting");
});

test("done todos are struck through", () => {
  const theme = { ...plainTheme, paint: (style: string, text: string) => `<${style}>${text}</>` };
  expect(written([todo("Mend", "completed")]).render(frameOf({ theme })).rows[0]).toContain("<strike>Mend</>");
});

test("a long list is folded around what is being done", () => {
  const todos = Array.from({ length: 30 }, (_, index) =>
    todo(`t${index}`, index < 12 ? "completed" : index === 12 ? "in_progress" : "pending"),
  );
  expect(rowsOf(written(todos), 6)).toEqual([
    "    … 10 more above",
    "  ■ t10",
    "  ■ t11",
    "  ◧ t12ing",
    "  □ t13",
    "    … 16 more below",
  ]);
});

test("a list that is done goes with the end of the run, one that is not stays", () => {
  const done = written([todo("Mend", "completed")]);
  done.take(end());
  expect(done.isEmpty).toBe(true);
  const open = written([todo("Mend", "pending")]);
  open.take(end());
  expect(rowsOf(open)).toEqual(["  □ Mend"]);
});

test("a call that failed changes nothing", () => {
  const view = new TodoView();
  view.take(call("a", "TodoWrite", { todos: [todo("Mend", "pending")] }));
  view.take(failure("a", "denied"));
  expect(view.isEmpty).toBe(true);
});

test("the shared task list is followed by its calls", () => {
  const view = new TodoView();
  for (const message of [
    call("a", "TaskCreate", { subject: "Mend", activeForm: "Mending" }),
    result("a", "Task #1 created successfully: Mend", { task: { id: "1", subject: "Mend" } }),
    call("b", "TaskCreate", { subject: "Sail" }),
    result("b", "Task #2 created successfully: Sail"),
    call("c", "TaskUpdate", { taskId: "1", status: "in_progress", owner: "me" }),
    result("c", "Updated task #1 status", { success: true, taskId: "1", updatedFields: ["status"] }),
    call("d", "TaskUpdate", { taskId: "9", status: "completed" }),
    result("d", "Task not found", { success: false }),
  ]) {
    view.take(message);
  }
  expect(rowsOf(view)).toEqual(["  ◧ Mending (me)", "  □ Sail"]);
  view.take(call("e", "TaskUpdate", { taskId: "2", status: "deleted" }));
  view.take(result("e", "Updated task #2"));
  view.take(call("f", "TaskList", {}));
  view.take(result("f", "…", { tasks: [{ id: "1", subject: "Mend", status: "completed", blockedBy: [] }] }));
  expect(rowsOf(view)).toEqual(["  ■ Mend (me)"]);
});

test("background tasks are a tree, with those that a task started below it", () => {
  const tasks = new BackgroundTasks();
  const a = { task_id: "a1", task_type: "local_agent", subagent_type: "Explore", description: "look around" };
  const b = { task_id: "b1", task_type: "local_bash", description: "npm run dev", parent_task_id: "a1" };
  tasks.take(system("background_tasks_changed", { tasks: [a, b] }), 1_000);
  tasks.take(
    system("task_progress", { task_id: "a1", usage: { total_tokens: 1_500, tool_uses: 2 }, last_tool_name: "Grep" }),
    2_000,
  );
  expect(tasks.render(frameOf({ now: 186_000 })).rows).toEqual([
    "  ├─ Explore: look around 3m · 2 calls · 1.5k tokens · Grep",
    "    └─ npm run dev 3m",
  ]);
  expect(tasks.nextChange(186_000)).toBe(55_000);
  expect(tasks.summary).toBe("1 shell, 1 agent");
  tasks.take(system("task_notification", { task_id: "a1", status: "completed", summary: "x" }), 7_000);
  tasks.take(system("background_tasks_changed", { tasks: [] }), 7_000);
  expect(tasks.nextChange(7_000)).toBeUndefined();
});

test("a wake-up is listed with what it waits for, and its prompt is known for the panel", () => {
  const tasks = new BackgroundTasks();
  const waiting = { task_id: "w1", task_type: "wakeup", description: "the build", ambient: true };
  tasks.take(system("background_tasks_changed", { tasks: [waiting] }), 1_000);
  tasks.take(system("task_started", { ...waiting, prompt: "Look at the build" }), 2_000);
  expect(tasks.tasks).toMatchObject([{ id: "w1", prompt: "Look at the build", startedMs: 1_000 }]);
  expect([tasks.render(frameOf({ now: 3_000 })).rows, tasks.summary]).toEqual([["  └─ the build"], "1 wake-up"]);
});

test("tokens grow with the deltas until the server has counted", () => {
  const counter = new TokenCounter();
  counter.begin();
  counter.take(start());
  counter.take(delta("x".repeat(400)));
  expect(counter.written).toBe(100);
  counter.take(event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 140 } }));
  expect(counter.written).toBe(140);
  counter.take(start("m2"));
  counter.take(delta("x".repeat(40)));
  expect(counter.written).toBe(150);
});

test("the context is what the last reply read and wrote", () => {
  const counter = new TokenCounter();
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_input_tokens: 49_000,
    cache_creation_input_tokens: 990,
  };
  counter.take(event({ type: "message_start", message: { id: "m", usage } }));
  counter.take(event({ type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 1_000 } }));
  expect([counter.inContext, counter.usedPercent]).toEqual([51_000, undefined]);
  counter.take(end({ modelUsage: { m: { contextWindow: 200_000 } }, total_cost_usd: 0.5 }));
  expect([counter.usedPercent, counter.cost]).toEqual([26, 0.5]);
  counter.take(system("compact_boundary"));
  expect(counter.inContext).toBeUndefined();
});

const facts = { startedMs: 1_000, written: 1_234, read: 8_000, running: "running Bash", interruptKey: "esc" };

test("the spinner says what, how long, how much and how to stop it, in the room there is", () => {
  const spinner = new Spinner({ spinnerVerbs: { mode: "replace", verbs: ["Knitting"] } });
  expect(spinner.render(facts, frameOf())).toBe(
    "◑ Knitting… 9s · ↑ 8k ↓ 1.2k tokens · running Bash · esc to interrupt",
  );
  expect(spinner.render(facts, frameOf({ columns: 40 }))).toBe("◑ Knitting… 9s · esc to interrupt");
  expect(spinner.render({ ...facts, activity: "Painting the whole boat" }, frameOf({ columns: 40 }))).toBe(
    "◑ Painting the wh… 9s · esc to interrupt",
  );
  spinner.take(system("status", { status: "compacting" }));
  expect(spinner.render(facts, frameOf({ columns: 60 }))).toStartWith("◑ Compacting the conversation… 9s");
});

test("the spinner moves, unless motion is reduced", () => {
  const spinner = new Spinner({});
  const at = (now: number, reducedMotion: boolean) =>
    spinner.render({ ...facts, startedMs: 0 }, frameOf({ now, theme: { ...plainTheme, reducedMotion } }))[0];
  expect([at(0, false), at(160, false), at(320, false)]).toEqual(["◐", "◓", "◑"]);
  expect([at(0, true), at(160, true), at(320, true)]).toEqual(["◐", "◐", "◐"]);
  expect(spinner.nextChange(100, { reducedMotion: false })).toBe(60);
  expect(spinner.nextChange(100, { reducedMotion: true })).toBe(900);
});

const footer: FooterFacts = { mode: "default", modeKey: "shift+tab", queued: 0, promptIsEmpty: true };

test("the footer names the mode, and fits", () => {
  expect(renderFooter(footer, frameOf())).toBe("? for shortcuts");
  expect(renderFooter({ ...footer, promptIsEmpty: false }, frameOf())).toBe("");
  expect(renderFooter({ ...footer, writes: "shell" }, frameOf())).toBe(
    "! runs a command without asking; the model reads its output",
  );
  expect(renderFooter({ ...footer, writes: { file: "CLAUDE.md" } }, frameOf())).toBe("# adds a note to CLAUDE.md");
  expect(renderFooter({ ...footer, mode: "plan" }, frameOf())).toBe("⏸ plan mode on  (shift+tab to change)");
  const full: FooterFacts = { ...footer, mode: "acceptEdits", vim: "INSERT", usedPercent: 38, cost: 0.42, queued: 2 };
  expect(renderFooter(full, frameOf())).toBe(
    "-- INSERT --  ⏵⏵ accept edits on  2 queued              $0.42  ▰▰▰▱▱▱▱▱ 38% used",
  );
  const model = { ...full, model: "claude-sonnet-5", effort: "high" };
  expect(renderFooter(model, frameOf({ columns: 120 }))).toContain("claude-sonnet-5 · high  $0.42  ▰▰▰▱▱▱▱▱ 38% used");
  expect(renderFooter(model, frameOf())).toBe(renderFooter(full, frameOf()));
  for (const columns of [20, 40, 60, 120]) {
    expect(Bun.stringWidth(renderFooter(full, frameOf({ columns })))).toBeLessThanOrEqual(columns);
  }
});

test("the title has a sign of life that stands still in tmux", () => {
  const working = { name: "fix it", working: true, waiting: false };
  const plain = new WindowTitle({}, { still: false });
  expect([0, 960, 1_000].map((now) => plain.next({ ...working, now }))).toEqual(["◆ fix it", "◇ fix it", undefined]);
  expect(plain.nextChange({ ...working, now: 100 })).toBe(860);
  const tmux = new WindowTitle({ TMUX: "/tmp/tmux" }, { still: false });
  expect([0, 960].map((now) => tmux.next({ ...working, now }))).toEqual(["◆ fix it", undefined]);
  const off = new WindowTitle({ CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1" }, { still: false });
  expect(off.next({ ...working, now: 0 })).toBeUndefined();
  expect(plain.next({ name: "a\u001b]0;x\u0007", working: false, waiting: true, now: 0 })).toBe("? a␛]0;x␇");
});

test("a window that is looked at is not rung for", () => {
  const attention = new Attention("auto");
  attention.focus(true);
  expect(attention.waiting("q1", "May it?", 0)).toBeUndefined();
  attention.focus(false);
  expect([attention.waiting("q1", "May it?", 1), attention.waiting("q1", "May it?", 2)]).toEqual([
    "May it?",
    undefined,
  ]);
  expect(attention.finished(0, 5_000)).toBe("Waiting for your next prompt");
  expect(new Attention("notifications_disabled").finished(0, 500_000)).toBeUndefined();
});

test("without reports of the focus, only a long silence rings", () => {
  const attention = new Attention(undefined);
  attention.pressed(100_000);
  expect(attention.finished(100_000, 130_000)).toBeUndefined();
  expect(attention.finished(100_000, 161_000)).toBe("Waiting for your next prompt");
});

test("the banner fits 40 columns", () => {
  const about = {
    version: "0.1.0",
    model: "claude-opus-5-5",
    cwd: "/home/u/a/long/folder/name/of/a/project",
    home: "/home/u",
  };
  const notices = ['Settings: unknown key "x" in a file with a long name'];
  const rows = renderBanner({ ...about, notices, settings: {}, key: () => "shift+tab" }, frameOf({ columns: 40 }));
  expect(rows[0]).toBe("◢  Keelson 0.1.0");
  expect(rows.filter((row) => Bun.stringWidth(row) > 40)).toEqual([]);
});
