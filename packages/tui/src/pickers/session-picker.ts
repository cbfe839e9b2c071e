// The session picker: a search field, the sessions newest first, a preview, and a field for a new name.

import type { ListedSession } from "@keelson/protocol";
import { counted } from "../blocks/amounts.ts";
import type { InputEvent, Key } from "../input/event.ts";
import { panelKeys, typedText } from "../panels/panel-keys.ts";
import { clean, cleanRow } from "../screen/clean.ts";
import { fit, wrap } from "../screen/rows.ts";
import type { Done, Frame, Panel, Rendered } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";
import type { RenderMarkdown } from "../viewer/section.ts";
import { headingRow, hintRows, type Hint } from "../widgets/heading.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { ScrollText } from "../widgets/scroll-text.ts";
import { TextField } from "../widgets/text-field.ts";
import { movedIndex, windowStart } from "./list-window.ts";
import { fileSize, timeAgo } from "./measures.ts";
import { SessionList } from "./session-list.ts";
import type { SessionShelf } from "./session-shelf.ts";

export interface SessionPickerOptions {
  readonly keys: KeyLookup;
  /** Called when something arrived that changes the picture. */
  redraw(): void;
  /** What the search field contains at first. */
  readonly query?: string;
  /** The branch that is checked out here, if there is one. */
  readonly branch?: string;
  /** The session that is open now; it is marked. */
  readonly current?: string;
  /** Without it, previews are shown as they are. */
  readonly markdown?: RenderMarkdown;
}

export interface PickedSession {
  readonly id: string;
  /** The folder it belongs to, if sessions of all folders were listed. */
  readonly cwd?: string;
}

export function sessionPicker(shelf: SessionShelf, options: SessionPickerOptions): Panel<PickedSession | null> {
  return new SessionPicker(shelf, options);
}

type Focus = "list" | "search" | "rename" | "preview";

class SessionPicker implements Panel<PickedSession | null> {
  readonly #shelf: SessionShelf;
  readonly #options: SessionPickerOptions;
  readonly #keys: KeyLookup;
  readonly #list: SessionList;
  readonly #query: TextField;
  #focus: Focus = "list";
  #name = new TextField();
  #preview: ScrollText;
  #selected = 0;
  #first = 0;
  #visible = 1;

  constructor(shelf: SessionShelf, options: SessionPickerOptions) {
    this.#shelf = shelf;
    this.#options = options;
    this.#keys = panelKeys(options.keys);
    this.#query = new TextField(options.query ?? "");
    this.#preview = new ScrollText(() => [], this.#keys);
    this.#list = new SessionList(shelf, options.branch, () => options.redraw());
    this.#list.search(this.#query.text);
    void this.#list.load();
  }

  take(event: InputEvent): Done<PickedSession | null> | undefined {
    if (event.kind !== "key" && event.kind !== "paste") return undefined;
    if (this.#focus === "rename") return this.#takeName(event);
    if (event.kind === "paste") return this.#type(event);
    if (this.#focus === "preview") return this.#takePreview(event);
    const isTyped = typedText(event) !== undefined;
    const own = this.#keys.action(event, ["SessionPicker"]);
    if (own !== undefined && !(isTyped && this.#focus === "search")) return this.#act(own);
    const action = isTyped ? undefined : this.#keys.action(event, ["Select"]);
    if (action === "select:cancel") return this.#end(null);
    if (action === "select:accept") {
      if (this.#focus === "search") this.#focus = "list";
      else return this.#choose();
      return undefined;
    }
    const moved = action && movedIndex(action, this.#selected, this.#list.shown.length, this.#visible);
    // Home and End belong to the text while it is being typed.
    if (typeof moved === "number" && !(this.#focus === "search" && /:(?:first|last)$/.test(action!))) {
      this.#selected = moved;
      this.#focus = "list";
      return undefined;
    }
    return this.#type(event);
  }

  #act(action: string): undefined {
    const list = this.#list;
    if (action === "sessions:allProjects") {
      list.allProjects = !list.allProjects;
      this.#selected = 0;
      void list.load();
    } else if (action === "sessions:branch" && this.#options.branch !== undefined) {
      list.toggleBranch();
      this.#selected = 0;
    } else if (action === "sessions:rename" && this.#current) {
      this.#name = new TextField(this.#current.summary);
      this.#focus = "rename";
    } else if (action === "sessions:preview" && this.#current) {
      this.#focus = "preview";
      void this.#loadPreview(this.#current);
    }
    return undefined;
  }

  #type(event: InputEvent): undefined {
    const before = this.#query.text;
    if (!this.#query.take(event)) return undefined;
    if (this.#focus === "preview") this.#focus = "search";
    if (this.#query.text === before) return undefined;
    this.#focus = "search";
    this.#selected = 0;
    this.#list.search(this.#query.text);
    return undefined;
  }

  #takeName(event: InputEvent): undefined {
    const action =
      event.kind === "key" && typedText(event) === undefined ? this.#keys.action(event, ["Select"]) : undefined;
    const session = this.#current;
    if (action === "select:cancel" || session === undefined) this.#focus = "list";
    else if (action === "select:accept") {
      this.#focus = "list";
      const title = this.#name.text.trim();
      if (title !== "" && title !== session.summary) void this.#list.rename(session, title);
    } else this.#name.take(event);
    return undefined;
  }

  #takePreview(key: Key): Done<PickedSession | null> | undefined {
    const action = this.#keys.action(key, ["Select"]);
    const isBack = action === "select:cancel" || this.#keys.action(key, ["SessionPicker"]) === "sessions:preview";
    if (isBack) this.#focus = "list";
    else if (action === "select:accept") return this.#choose();
    else this.#preview.take(key);
    return undefined;
  }

  #choose(): Done<PickedSession | null> | undefined {
    const session = this.#current;
    if (session === undefined) return undefined;
    const { sessionId: id, cwd } = session;
    // A session of this folder may have gone elsewhere meanwhile; it is still one of this folder.
    return this.#end({ id, ...(cwd === undefined || !this.#list.allProjects ? {} : { cwd }) });
  }

  #end(value: PickedSession | null): Done<PickedSession | null> {
    this.#list.close();
    return { value };
  }

  get #current(): ListedSession | undefined {
    return this.#list.shown[this.#selected];
  }

  async #loadPreview(session: ListedSession): Promise<void> {
    this.#preview.replace((_columns, theme) => [theme.paint("dim", "Loading…")]);
    const text = await this.#shelf.preview(session.sessionId).then(
      (markdown = "") => markdown,
      (error: Error) => `Cannot read the session: ${error.message}`,
    );
    const { markdown } = this.#options;
    if (this.#current?.sessionId !== session.sessionId) return;
    this.#preview.replace((columns, theme) =>
      markdown ? markdown(text, columns, theme) : wrap(clean(text).replaceAll("\t", "    "), columns),
    );
    this.#options.redraw();
  }

  render({ columns, rows, theme, now }: Frame): Rendered {
    const { shown } = this.#list;
    this.#selected = Math.max(0, Math.min(this.#selected, shown.length - 1));
    const { total } = this.#list;
    const aside = total === 0 ? "" : counted(total, "session");
    const heading = headingRow(columns, theme, { title: "Resume a session", aside });
    const hints = hintRows(this.#hints(), columns, theme, this.#keys).slice(0, rows > 12 ? 3 : 1);
    const field = this.#fieldRow(columns, theme);
    const scope = this.#focus === "preview" ? "" : this.#scopeText();
    const scopeRows = scope === "" ? [] : [theme.paint("dim", fit(scope, columns))];
    const room = Math.max(1, rows - 2 - scopeRows.length - hints.length);
    const body =
      this.#focus === "preview"
        ? this.#preview.render(columns, room, theme)
        : this.#listRows({ columns, rows: room, theme, now });
    return {
      rows: [heading, field.row, ...scopeRows, ...body, ...hints].slice(0, rows),
      ...(field.column === undefined || rows < 2 ? {} : { cursor: { row: 1, column: field.column } }),
    };
  }

  #fieldRow(columns: number, theme: Theme): { readonly row: string; readonly column?: number } {
    const isRename = this.#focus === "rename";
    if (this.#focus === "preview") {
      return { row: theme.paint("bold", fit(this.#current ? nameOf(this.#current) : "", columns)) };
    }
    const label = isRename ? "New name: " : "Search: ";
    const field = isRename ? this.#name : this.#query;
    const placeholder = isRename ? "" : "type to search titles and conversations";
    const inner = Math.max(2, columns - label.length);
    const { rows, cursor } = field.render({ columns: inner, theme, placeholder });
    return { row: theme.paint("dim", label) + (rows[0] ?? ""), column: label.length + (cursor?.column ?? 0) };
  }

  #listRows({ columns, rows, theme, now }: Frame): readonly string[] {
    const list = this.#list;
    const { shown, problem } = list;
    const notes = problem === "" ? [] : [theme.paint("error", fit(cleanRow(problem), columns))];
    if (shown.length === 0) return [...notes, theme.paint("dim", fit(this.#emptyText(), columns))].slice(0, rows);
    const height = rows >= 4 ? 2 : 1;
    this.#visible = Math.max(1, Math.floor((rows - notes.length) / height));
    this.#first = windowStart(this.#first, this.#selected, this.#visible, shown.length);
    const entries = shown.slice(this.#first, this.#first + this.#visible).flatMap((session, offset) => {
      const isSelected = this.#first + offset === this.#selected;
      const sign = isSelected ? (theme.ascii ? "> " : "❯ ") : "  ";
      const name = fit(`${sign}${nameOf(session)}`, columns);
      const facts = theme.paint("dim", fit(`  ${this.#facts(session, now)}`, columns));
      return [isSelected ? theme.paint("suggestion", name) : name, facts].slice(0, height);
    });
    return [...notes, ...entries].slice(0, rows);
  }

  #facts(session: ListedSession, now: number): string {
    const { lastModified, gitBranch: branch, worktree, fileSize: bytes, messageCount, cwd, sessionId } = session;
    return [
      timeAgo(lastModified, now),
      ...(messageCount === undefined ? [] : [counted(messageCount, "message")]),
      ...(branch === undefined ? [] : [cleanRow(branch)]),
      ...(worktree === undefined ? [] : [`worktree ${cleanRow(worktree)}`]),
      fileSize(bytes),
      ...(sessionId === this.#options.current ? ["open now"] : []),
      ...(this.#list.isFoundInText(session) ? ["found in the conversation"] : []),
      ...(this.#list.allProjects && cwd !== undefined ? [cleanRow(cwd)] : []),
    ].join(" · ");
  }

  #emptyText(): string {
    const { isLoading, isSearching, total } = this.#list;
    if (isLoading) return "Loading…";
    if (isSearching) return "Searching the conversations…";
    if (total > 0) return `No match among ${counted(total, "session")}`;
    return this.#list.allProjects ? "No sessions" : "No sessions in this folder";
  }

  /** How many are listed and why not all of them; nothing if all are. */
  #scopeText(): string {
    const { shown, total, isSearching, isLoading, allProjects, branchOnly } = this.#list;
    const left = total - shown.length;
    if (isLoading && total === 0) return "";
    return [
      ...(left === 0 ? [] : [`${shown.length} of ${counted(total, "session")}`, `${left} filtered out`]),
      ...(allProjects ? ["all projects"] : []),
      ...(branchOnly ? [`branch ${cleanRow(this.#options.branch ?? "")}`] : []),
      ...(isSearching ? ["searching…"] : []),
    ].join(" · ");
  }

  #hints(): readonly Hint[] {
    const { allProjects, branchOnly } = this.#list;
    switch (this.#focus) {
      case "rename":
        return [
          { action: "select:accept", does: "rename" },
          { action: "select:cancel", does: "cancel" },
        ];
      case "preview":
        return [
          { action: "select:accept", does: "resume" },
          { action: "select:cancel", does: "back" },
        ];
      case "search":
      case "list":
        return [
          { action: "select:accept", does: this.#focus === "search" ? "go to list" : "resume" },
          { action: "select:cancel", does: "cancel" },
          ...(this.#focus === "list" ? [{ action: "sessions:preview", does: "preview" }] : []),
          { action: "sessions:rename", does: "rename" },
          { action: "sessions:allProjects", does: allProjects ? "this folder" : "all projects" },
          ...(this.#options.branch === undefined
            ? []
            : [{ action: "sessions:branch", does: branchOnly ? "all branches" : "this branch" }]),
        ];
    }
  }
}

function nameOf({ summary, firstPrompt = "", sessionId }: ListedSession): string {
  return cleanRow((summary.trim() || firstPrompt.trim() || sessionId).slice(0, 500).replace(/\s+/g, " "));
}
