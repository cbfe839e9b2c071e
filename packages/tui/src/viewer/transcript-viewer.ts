// The whole conversation on the full screen: every prompt and answer, thinking, and tools with all of their output. From it,
// and from /tasks, the conversation of one agent opens.

import { elapsed } from "../blocks/amounts.ts";
import { renderItem } from "../blocks/item.ts";
import { ListPanel, type ListEntry } from "../panels/list-panel.ts";
import { PanelStack } from "../panels/panel-stack.ts";
import { cleanRow } from "../screen/clean.ts";
import { fit } from "../screen/rows.ts";
import type { Panel } from "../screen/view.ts";
import type { AgentTalk } from "../stream/agent-talks.ts";
import { isDone, type StreamItem } from "../stream/item.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";
import { Pager } from "./pager.ts";
import type { PagerSection } from "./section.ts";

interface ItemsLook {
  readonly keys: KeyLookup;
  readonly cwd: string;
  now(): number;
}

export interface TranscriptViewerOptions extends ItemsLook {
  /** Asked for each frame: the conversation may continue. */
  items(): readonly StreamItem[];
  /** How many earlier items are not here any more. */
  forgotten?(): number;
  /** Oldest first. */
  agents?(): readonly AgentTalk[];
}

export function transcriptViewer(options: TranscriptViewerOptions): Panel<null> {
  const { items, forgotten, keys, agents = () => [] } = options;
  const sectionOf = sectionsOf(options);
  let left = 0;
  let note: PagerSection = { lines: () => [] };
  const sections = () => {
    const missing = forgotten?.() ?? 0;
    if (missing !== left) {
      left = missing;
      note = { lines: (_columns, theme) => [theme.paint("dim", `${missing} earlier entries are not kept in memory`)] };
    }
    return [note, ...items().map(sectionOf)];
  };
  return new PanelStack<null>((own) => {
    const open = () => {
      const [only, ...others] = agents();
      if (only && others.length === 0) own.open(agentViewer(only, options), () => undefined);
      else own.open(agentList(options, agents, own), () => undefined);
    };
    const more = [{ action: "transcript:agents", does: "agents", isOffered: () => agents().length > 0, do: open }];
    return new Pager({ title: "Transcript", sections, keys, place: "Transcript", opensAt: "end", more });
  });
}

function agentList(look: ItemsLook, agents: () => readonly AgentTalk[], own: PanelStack<null>): Panel<null> {
  return new ListPanel<null>({
    harmless: true,
    title: "Agents",
    keys: look.keys,
    entries: () => agents().map((agent) => agentEntry(agent, look.now())),
    empty: () => "No agents",
    accept: ({ id }) => {
      const agent = agents().find((each) => each.id === id);
      if (agent) own.open(agentViewer(agent, look), () => undefined);
    },
    closed: () => null,
    hints: (entry) => (entry ? [{ action: "select:accept", does: "open" }] : []),
  });
}

/** A row of a list: what the agent does, its type, how it is and how long it took. */
export function agentEntry({ id, type, description, status, startedMs, endedMs }: AgentTalk, now: number): ListEntry {
  const time = elapsed((endedMs ?? now) - startedMs);
  return {
    id,
    label: description,
    value: ["agent", ...(type === "" ? [] : [type]), status, time].join(" · "),
    valueStyle: status === "running" ? "accent" : "dim",
    about: id,
  };
}

/** `inPlace`: in the place of the prompt, with as many rows as it needs. */
export function agentViewer(
  agent: AgentTalk,
  look: ItemsLook,
  { inPlace = false }: { readonly inPlace?: boolean } = {},
): Pager {
  const sectionOf = sectionsOf(look);
  const isAsked = ({ items: [first] }: AgentTalk) => first?.kind === "prompt";
  const asked: PagerSection = sectionOf({ kind: "prompt", text: agent.prompt, as: "prompt", images: 0 });
  const heading: PagerSection = {
    lines: (columns, theme) => [theme.paint("bold", fit(cleanRow(nameOf(agent)), columns))],
  };
  const gone: PagerSection = {
    lines: (_columns, theme) => [theme.paint("dim", "What it said is not kept in memory any more")],
  };
  return new Pager({
    title: nameOf(agent),
    sections: () => [
      ...(inPlace ? [heading] : []),
      ...(isAsked(agent) || agent.prompt === "" ? [] : [asked]),
      ...(agent.isForgotten ? [gone] : agent.items.map(sectionOf)),
    ],
    keys: look.keys,
    opensAt: "end",
    inPlace,
    every: () => (agent.status === "running" ? 1000 : undefined),
  });
}

const nameOf = ({ type, description }: AgentTalk) => (type === "" ? description : `${type}: ${description}`);

/** An item as a section. One that is not done looks different in the next frame. */
function sectionsOf({ cwd, keys, now }: ItemsLook): (item: StreamItem) => PagerSection {
  const finished = new WeakMap<StreamItem, PagerSection>();
  return (item) => {
    const known = finished.get(item);
    if (known) return known;
    const section: PagerSection = {
      folds: true,
      isMark: item.kind === "prompt",
      lines: (columns, theme) =>
        renderItem(item, { columns, theme, now: now(), cwd, whole: true, key: (action) => keys.keyFor(action) ?? "" }),
    };
    if (isDone(item)) finished.set(item, section);
    return section;
  };
}
