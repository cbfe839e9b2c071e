// /mcp: the servers, what each offers, and what can be done about one that does not work.

import type { ReplyTo } from "@keelson/protocol";
import type { Panel } from "../../screen/view.ts";
import { counted } from "../../blocks/amounts.ts";
import type { StyleName } from "../../theme/theme.ts";
import { errorText, type PanelContext, type PanelEnd } from "../context.ts";
import { ListPanel, type ListEntry } from "../list-panel.ts";
import { PanelStack } from "../panel-stack.ts";
import { linePanel } from "../parts.ts";

type ListedServer = ReplyTo<"mcp_status">["mcpServers"][number];

const STYLES: Readonly<Record<string, StyleName>> = {
  connected: "success",
  failed: "error",
  "needs-auth": "warning",
  pending: "dim",
  disabled: "dim",
};

/** While a server connects, its state is asked for this often. */
const LOOK_EVERY_MS = 500;

export async function mcpPanel(context: PanelContext): Promise<Panel<PanelEnd> | PanelEnd> {
  const state = new ServersState(context);
  await state.load();
  if (state.isEmpty) return { note: "No MCP servers. Add one with `keelson mcp add`" };
  const stack = new PanelStack<PanelEnd>((own) => state.list(own));
  return {
    take: (event, now) => stack.take(event, now),
    render(frame) {
      state.look(frame.now);
      return stack.render(frame);
    },
    nextChange: () => state.nextLook(),
  };
}

/** The last lines that a failed server wrote to standard error, the newest first. */
const outputOf = (server: ListedServer | undefined): readonly ListEntry[] =>
  (server?.stderr ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .toReversed()
    .map((line, index) => ({ id: String(index), label: line, about: line }));

class ServersState {
  readonly #context: PanelContext;
  #servers: readonly ListedServer[] = [];
  #said: { readonly text: string; readonly style: StyleName } | undefined;
  #done: string[] = [];
  #lookedAt = 0;
  #waiting = 0;
  readonly #signingIn = new Set<string>();

  constructor(context: PanelContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#servers.length === 0;
  }

  async load(): Promise<void> {
    const { mcpServers } = await this.#context.requests.request("mcp_status");
    this.#servers = mcpServers;
    for (const { name, status } of this.#servers) {
      if (status === "connected" && this.#signingIn.delete(name)) {
        this.#said = { text: `Signed in to ${name}`, style: "success" };
      }
    }
  }

  nextLook(): number | undefined {
    const changes =
      this.#waiting > 0 ||
      this.#servers.some(
        ({ name, status }) => status === "pending" || (status === "needs-auth" && this.#signingIn.has(name)),
      );
    return changes ? LOOK_EVERY_MS : undefined;
  }

  look(now: number): void {
    if (this.nextLook() === undefined || now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    void this.load().then(
      () => this.#context.redraw(),
      () => undefined,
    );
  }

  list(stack: PanelStack<PanelEnd>): Panel<PanelEnd> {
    return new ListPanel<PanelEnd>({
      title: "MCP servers",
      keys: this.#context.keys,
      contexts: ["Servers"],
      entries: () => this.#servers.map((server) => this.#entry(server)),
      empty: () => "No MCP servers",
      accept: ({ id }) => stack.open(this.#detail(id, stack), () => undefined),
      act: (action, entry) => {
        if (entry) this.#act(action, entry.id, stack);
      },
      closed: () => (this.#done.length === 0 ? {} : { note: this.#done.at(-1)! }),
      hints: (entry) => [
        { action: "select:accept", does: "details" },
        { action: "servers:reconnect", does: "reconnect" },
        { action: "servers:toggle", does: this.#isOff(entry) ? "enable" : "disable" },
        ...(this.#needsSignIn(entry) ? [{ action: "servers:signIn", does: "sign in" }] : []),
      ],
      status: () => this.#said,
    });
  }

  #entry({ name, status, error, tools, scope }: ListedServer): ListEntry {
    const count = status === "connected" && tools ? ` · ${counted(tools.length, "tool")}` : "";
    return {
      id: name,
      label: name,
      value: `${status}${count}`,
      valueStyle: STYLES[status] ?? "text",
      about: [...(error === undefined ? [] : [error]), ...(scope === undefined ? [] : [`Defined in: ${scope}`])].join(
        " · ",
      ),
    };
  }

  /** One server: what can be done, and its tools. */
  #detail(name: string, stack: PanelStack<PanelEnd>): Panel<null> {
    const server = () => this.#servers.find((each) => each.name === name);
    const actions = (): readonly ListEntry[] => [
      { id: "servers:reconnect", label: "Reconnect" },
      { id: "servers:toggle", label: server()?.status === "disabled" ? "Enable" : "Disable" },
      ...(this.#canSignIn(server()) ? [{ id: "servers:signIn", label: "Sign in" }] : []),
      ...(this.#canSignIn(server()) ? [{ id: "code", label: "Enter the address or code of a sign-in" }] : []),
    ];
    const tools = (): readonly ListEntry[] =>
      (server()?.tools ?? []).map((tool) => ({
        id: tool.name,
        label: tool.name,
        value: tool.description ?? "",
        about: tool.description ?? "",
      }));
    return new ListPanel<null>({
      title: name,
      keys: this.#context.keys,
      tabs: ["Server", "Tools", "Output"],
      entries: (tab) => (tab === 0 ? actions() : tab === 1 ? tools() : outputOf(server())),
      empty: (tab) => (tab === 1 ? "No tools" : "It wrote nothing to standard error"),
      accept: (entry, tab) => {
        if (tab === 0) this.#act(entry.id, name, stack);
      },
      closed: () => null,
      hints: (_entry, tab) => (tab === 0 ? [{ action: "select:accept", does: "do it" }] : []),
      status: () => this.#said ?? this.#stateOf(server()),
    });
  }

  #stateOf(server: ListedServer | undefined): { readonly text: string; readonly style: StyleName } | undefined {
    if (server === undefined) return undefined;
    const { status, error, transport, serverInfo } = server;
    const info = serverInfo?.version === undefined ? [] : [`${serverInfo.name ?? ""} ${serverInfo.version}`.trim()];
    const [last] = outputOf(server);
    const text = [
      status,
      ...(transport === undefined ? [] : [transport]),
      ...info,
      ...(error === undefined ? [] : [error]),
      ...(last === undefined || error?.includes(last.label.trim()) ? [] : [`its last words: ${last.label.trim()}`]),
    ];
    return { text: text.join(" · "), style: STYLES[status] ?? "text" };
  }

  #act(action: string, name: string, stack: PanelStack<PanelEnd>): void {
    const server = this.#servers.find((each) => each.name === name);
    if (server === undefined) return;
    const { requests } = this.#context;
    if (action === "servers:reconnect") {
      const work = requests.request("mcp_reconnect", { serverName: name });
      void this.#do(`Connecting to ${name}…`, `Reconnected to ${name}`, work);
    } else if (action === "servers:toggle") {
      const enabled = server.status === "disabled";
      const done = `${enabled ? "Enabled" : "Disabled"} ${name}`;
      void this.#do("…", done, requests.request("mcp_toggle", { serverName: name, enabled }));
    } else if (action === "servers:signIn") void this.#signIn(name);
    else if (action === "code") this.#enterCode(name, stack);
  }

  async #do(doing: string, done: string, work: Promise<void>): Promise<void> {
    const { redraw } = this.#context;
    this.#said = { text: doing, style: "dim" };
    this.#waiting += 1;
    try {
      await work;
      this.#said = { text: done, style: "success" };
      this.#done.push(done);
    } catch (error) {
      this.#said = { text: errorText(error), style: "error" };
    }
    this.#waiting -= 1;
    await this.load().catch(() => undefined);
    redraw();
  }

  async #signIn(name: string): Promise<void> {
    const { requests, redraw } = this.#context;
    this.#said = { text: "Starting the sign-in…", style: "dim" };
    try {
      const { authUrl, opened } = await requests.request("mcp_authenticate", { serverName: name, openBrowser: true });
      const text = opened ? `Sign in in the browser: ${authUrl}` : `Open this address to sign in: ${authUrl}`;
      this.#said = { text, style: "suggestion" };
      this.#signingIn.add(name);
      this.#done.push(`Started the sign-in to ${name}`);
    } catch (error) {
      this.#said = { text: errorText(error), style: "error" };
    }
    redraw();
  }

  /** For a browser on another machine, which cannot come back to this one. */
  #enterCode(name: string, stack: PanelStack<PanelEnd>): void {
    const about =
      "If the browser could not return to this machine, paste the address it stopped at, or the code in it.";
    stack.open(linePanel({ title: `Sign in to ${name}`, about, keys: this.#context.keys }), (code) => {
      if (code === null) return;
      const fields = { serverName: name, code };
      this.#said = { text: "Signing in…", style: "dim" };
      this.#context.requests.request("mcp_submit_code", fields).then(
        () => this.#tell(`Signed in to ${name}`, "success"),
        (error: Error) => this.#tell(error.message, "error"),
      );
    });
  }

  #tell(text: string, style: StyleName): void {
    this.#said = { text, style };
    void this.load().then(
      () => this.#context.redraw(),
      () => this.#context.redraw(),
    );
  }

  #isOff(entry: ListEntry | undefined): boolean {
    return this.#servers.some(({ name, status }) => name === entry?.id && status === "disabled");
  }

  #needsSignIn(entry: ListEntry | undefined): boolean {
    return this.#servers.some(({ name, status }) => name === entry?.id && status === "needs-auth");
  }

  #canSignIn(server: ListedServer | undefined): boolean {
    return server !== undefined && (server.status === "needs-auth" || /^(?:http|sse)$/.test(server.transport ?? ""));
  }
}
