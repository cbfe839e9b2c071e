// Going back: the earlier prompts with the files changed since, and then what to restore.

import type { ReplyTo } from "@keelson/protocol";
import { counted } from "../blocks/amounts.ts";
import type { InputEvent } from "../input/event.ts";
import { panelKeys } from "../panels/panel-keys.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit, width } from "../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { Requests } from "@keelson/client";
import { headingRow, hintRows } from "../widgets/heading.ts";
import { Deliberate } from "../keys/deliberate.ts";
import { typesText, type KeyLookup } from "../widgets/key-lookup.ts";
import { ChoiceList } from "./choice-rows.ts";
import { movedIndex, windowStart } from "./list-window.ts";
import type { RefusedFile, RewindChoice, RewindKind, RewindPoint } from "./rewind.ts";

export interface RewindPickerOptions {
  readonly requests: Requests;
  readonly keys: KeyLookup;
  redraw(): void;
}

/** `points` are the prompts so far, oldest first. */
export function rewindPicker(points: readonly RewindPoint[], options: RewindPickerOptions): Panel<RewindChoice | null> {
  return new RewindPicker(points, options);
}

interface Changes {
  readonly files: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** Files that may not be restored. */
  readonly refused: readonly RefusedFile[];
  /** Why the files from before the prompt are not known. */
  readonly problem?: string;
}

const NONE: Changes = { files: [], added: 0, removed: 0, refused: [] };

/** `needs`: what there has to be for the option to make sense. */
const OPTIONS: readonly (readonly [kind: RewindKind | "cancel", label: string, needs?: keyof Present])[] = [
  ["both", "Restore conversation and code", "code"],
  ["conversation", "Restore conversation"],
  ["code", "Restore code", "code"],
  ["summarize-from", "Summarize from here", "itself"],
  ["summarize-up-to", "Summarize up to here", "earlier"],
  ["cancel", "Never mind"],
];

interface Present {
  /** Files that changed. */
  readonly code: boolean;
  /** The prompt, with no summary in its place. */
  readonly itself: boolean;
  /** The same and prompts before it. */
  readonly earlier: boolean;
}

class RewindPicker implements Panel<RewindChoice | null> {
  readonly #points: readonly RewindPoint[];
  readonly #options: RewindPickerOptions;
  readonly #keys: KeyLookup;
  readonly #changes = new Map<string, Changes | "asked">();
  #knowsFiles = true;
  /** The one after the last is the present. */
  #selected: number;
  #first = 0;
  #visible = 1;
  #chosen: RewindPoint | undefined;
  #choice = new ChoiceList();
  readonly #deliberate = new Deliberate();

  constructor(points: readonly RewindPoint[], options: RewindPickerOptions) {
    this.#points = points;
    this.#options = options;
    this.#keys = panelKeys(options.keys);
    this.#selected = points.length;
  }

  take(event: InputEvent): Done<RewindChoice | null> | undefined {
    this.#deliberate.take(event);
    if (this.#chosen) {
      const offered = this.#offered(this.#chosen);
      const end = this.#choice.take(event, offered.length, this.#keys);
      if (end === "cancel") return { value: null };
      if (end !== "accept") return undefined;
      const [kind] = offered[this.#choice.selected]!;
      return { value: kind === "cancel" ? null : { kind, point: this.#chosen } };
    }
    if (event.kind !== "key") return undefined;
    const action = this.#keys.action(event, ["MessageSelector", "Select"]) ?? "";
    if (action === "select:cancel") return { value: null };
    if (action === "select:accept" || action === "messageSelector:select") {
      const point = this.#points[this.#selected];
      if (point === undefined) return { value: null };
      if (!this.#deliberate.mayAnswer || typesText(event)) return undefined;
      this.#chosen = point;
      this.#choice = new ChoiceList();
      this.#ask(point);
      return undefined;
    }
    const step = action.replace("messageSelector:", "select:");
    const moved = movedIndex(STEPS[step] ?? step, this.#selected, this.#points.length + 1, this.#visible);
    if (moved !== undefined) this.#selected = moved;
    return undefined;
  }

  render(frame: Frame): Rendered {
    const { columns, rows, theme } = frame;
    const heading = headingRow(columns, theme, { title: "Rewind" });
    if (this.#chosen) return { rows: [heading, ...this.#optionRows(this.#chosen, frame)].slice(0, rows) };
    const hints = hintRows(
      [
        this.#deliberate.mayAnswer
          ? { action: "select:accept", does: "choose" }
          : { key: "↑/↓", does: "mark, then Enter" },
        { action: "select:cancel", does: "cancel" },
      ],
      columns,
      theme,
      this.#keys,
    ).slice(0, 1);
    const foot = rows >= ROWS_FOR_SPACE ? ["", ...hints] : hints;
    const room = Math.max(1, rows - 1 - foot.length);
    return { rows: [heading, ...this.#pointRows({ ...frame, rows: room }), ...foot].slice(0, rows) };
  }

  /** One row for each prompt: when, what, and what changed since. */
  #pointRows({ columns, rows, theme, now }: Frame): readonly string[] {
    const count = this.#points.length + 1;
    this.#visible = Math.max(1, rows);
    this.#first = windowStart(this.#first, this.#selected, this.#visible, count);
    const shown: string[] = [];
    const hasTimes = this.#points.some(({ sentMs }) => sentMs !== undefined);
    for (let index = this.#first; index < Math.min(count, this.#first + this.#visible); index += 1) {
      const point = this.#points[index];
      const isSelected = index === this.#selected;
      const sign = isSelected ? (theme.ascii ? "> " : "❯ ") : "  ";
      if (point) this.#ask(point);
      const time = point ? (hasTimes ? timeOf(point, now).padStart(TIME_COLUMNS) : "") : "(now)";
      const changes = point ? this.#changesText(point) : "";
      const right = changes === "" || columns < 40 ? "" : `  ${fit(changes, Math.floor(columns * 0.6))}`;
      const name = fit(
        `${sign}${time}${point && hasTimes ? "  " : ""}${point ? promptRow(point) : ""}`,
        columns - width(right),
      );
      const gap = " ".repeat(Math.max(0, columns - width(name) - width(right)));
      const painted = isSelected ? theme.paint("suggestion", name) : name;
      shown.push(right === "" ? painted : painted + gap + theme.paint("dim", right));
    }
    return shown.slice(0, rows);
  }

  #optionRows(point: RewindPoint, { columns, rows, theme }: Frame): readonly string[] {
    const hints = hintRows(
      [
        this.#choice.awaitsArrow
          ? { key: "↑/↓", does: "mark, then Enter" }
          : { action: "select:accept", does: "confirm" },
        { action: "select:cancel", does: "cancel" },
      ],
      columns,
      theme,
      this.#keys,
    ).slice(0, 1);
    const { files: open, refused } = this.#known(point);
    const files = [...open, ...refused.map(({ path, reason }) => `${path}: cannot be restored. ${reason}`)];
    const choices = this.#offered(point).map(([, label]) => ({ label }));
    const names = files.slice(0, Math.max(0, Math.min(5, rows - choices.length - hints.length - 4)));
    const more = files.length - names.length;
    return [
      fit(`Prompt: ${promptRow(point)}`, columns),
      theme.paint("dim", fit(this.#changesText(point) || "No files changed", columns)),
      ...names.map((name) => theme.paint("dim", fit(`  ${cleanRow(name)}`, columns))),
      ...(names.length > 0 && more > 0 ? [theme.paint("dim", fit(`  and ${more} more`, columns))] : []),
      ...this.#choice.render(choices, { columns, rows: choices.length, theme }),
      ...hints,
    ];
  }

  #offered(point: RewindPoint): typeof OPTIONS {
    const itself = !point.isSummarized;
    const present: Present = {
      code: this.#known(point).files.length > 0,
      itself,
      earlier: itself && this.#points.find(({ isSummarized }) => !isSummarized) !== point,
    };
    return OPTIONS.filter(([, , needs]) => needs === undefined || present[needs]);
  }

  #known(point: RewindPoint): Changes {
    const known = this.#changes.get(point.id);
    return known === undefined || known === "asked" ? NONE : known;
  }

  #changesText(point: RewindPoint): string {
    if (!this.#knowsFiles) return "File checkpoints are off, so only the conversation can be restored";
    const known = this.#changes.get(point.id);
    if (known === undefined || known === "asked") return "…";
    const { files, added, removed, refused, problem } = known;
    if (problem !== undefined) return cleanRow(problem);
    const kept = refused.length === 0 ? "" : `${counted(refused.length, "file")} cannot be restored`;
    if (files.length === 0) return kept;
    return `${counted(files.length, "file")} changed, +${added} -${removed}${kept && `; ${kept}`}`;
  }

  /** Asks once for each prompt, when it is first visible. */
  #ask({ id }: RewindPoint): void {
    if (!this.#knowsFiles || this.#changes.has(id)) return;
    this.#changes.set(id, "asked");
    const asked = this.#options.requests.request("rewind_files", { user_message_id: id, dry_run: true });
    asked.then(
      (reply) => this.#answer(id, changesIn(reply)),
      (error: Error) => {
        if (/not enabled/.test(error.message)) this.#knowsFiles = false;
        this.#answer(id, error.message.startsWith("No file checkpoint") ? NONE : { ...NONE, problem: error.message });
      },
    );
  }

  #answer(id: string, changes: Changes): void {
    const before = this.#chosen && this.#offered(this.#chosen)[this.#choice.selected]?.[0];
    this.#changes.set(id, changes);
    // More options may have appeared above the marked one; the mark stays on what it was on.
    if (this.#chosen) {
      const index = this.#offered(this.#chosen).findIndex(([kind]) => kind === before);
      this.#choice.selected = Math.max(0, index);
    }
    this.#options.redraw();
  }
}

const STEPS: Readonly<Record<string, string>> = {
  "select:up": "select:previous",
  "select:down": "select:next",
  "select:top": "select:first",
  "select:bottom": "select:last",
};

/** `14:02`, or with the day if it was another one. */
function timeOf({ sentMs }: RewindPoint, now: number): string {
  if (sentMs === undefined) return "";
  const sent = new Date(sentMs);
  if (sent.toDateString() !== new Date(now).toDateString())
    return `${sent.toLocaleDateString("en", { month: "short" })} ${sent.getDate()}`;
  return `${String(sent.getHours()).padStart(2, "0")}:${String(sent.getMinutes()).padStart(2, "0")}`;
}

/** As in dialogs, the keys stand apart where there is room. */
const ROWS_FOR_SPACE = 16;
const TIME_COLUMNS = 6;

const promptRow = ({ text }: RewindPoint) => cleanRow(text.trim().slice(0, 500).replace(/\s+/g, " ")) || "(no text)";

function changesIn({ filesChanged, insertions, deletions, refused }: ReplyTo<"rewind_files">): Changes {
  return { files: filesChanged ?? [], added: insertions ?? 0, removed: deletions ?? 0, refused: refused ?? [] };
}
