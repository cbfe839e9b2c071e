// Monitor: watches a command or a WebSocket; each line it prints reaches the model later, as a notice.

import {
  array,
  defineTool,
  item,
  number,
  object,
  optional,
  string,
  ToolError,
  type Tool,
  type ToolContext,
} from "@keelson/engine";
import description from "./monitor.md" with { type: "text" };

const DEFAULT_TIMEOUT_MS = 300_000;
const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 1_800_000;

export interface MonitorInput {
  readonly description: string;
  readonly timeout_ms: number;
  readonly command?: string;
  readonly ws?: { readonly url: string; readonly protocols?: readonly string[] };
}

export interface MonitorOutput {
  readonly taskId: string;
  readonly timeoutMs: number;
  /** Only for monitors without an end, which this version does not start. */
  readonly persistent?: boolean;
}

/** What to watch: a command in a folder, or a WebSocket. */
export type MonitorSource =
  { readonly command: string; readonly cwd: string } | { readonly url: string; readonly protocols?: readonly string[] };

export interface Monitors {
  /** Starts to watch. Throws ToolError if the source cannot be opened. */
  start(
    source: MonitorSource,
    options: { readonly description: string; readonly timeoutMs: number },
    context: ToolContext,
  ): Promise<{ readonly id: string }>;
}

export function monitorTool(monitors: Monitors): Tool<MonitorInput, MonitorOutput> {
  // Run in the directory the gate checked, even if another call has changed the session's directory since.
  const judged = new WeakMap<ToolContext, string>();
  return defineTool<MonitorInput, MonitorOutput>({
    name: "Monitor",
    description,
    input: object({
      description: string("What is watched, in a few plain words"),
      timeout_ms: number("When to give up, in milliseconds", {
        default: DEFAULT_TIMEOUT_MS,
        minimum: MIN_TIMEOUT_MS,
      }),
      command: optional(string("The command to watch; each line it prints is an event")),
      ws: optional(
        item({
          url: string("A ws:// or wss:// address; each message is an event"),
          protocols: optional(array(string(), "Subprotocols to ask for")),
        }),
      ),
    }),

    dropsUnknown: true,
    repair: ({ timeout_ms: asked = DEFAULT_TIMEOUT_MS, ...input }) => ({
      // Only people read the description.
      ...(typeof input["command"] === "string" ? { description: input["command"] } : {}),
      ...input,
      timeout_ms: asked,
    }),
    check({ command, ws }) {
      if ((command === undefined) === (ws === undefined)) throw new ToolError("Give either command or ws");
      if (ws !== undefined) checkSocket(ws);
    },
    kind: "execute",
    describe: (input) => input.text("description"),

    access({ command, ws }, context) {
      if (ws !== undefined) return { kind: "url", url: ws.url };
      const { cwd } = context.workspace;
      judged.set(context, cwd);
      return { kind: "command", command: command ?? "", cwd };
    },

    async run({ description: about, timeout_ms: asked, command = "", ws }, context) {
      const timeoutMs = Math.min(asked, MAX_TIMEOUT_MS);
      const source = ws ?? { command, cwd: judged.get(context) ?? context.workspace.cwd };
      const { id } = await monitors.start(source, { description: about, timeoutMs }, context);
      return { taskId: id, timeoutMs };
    },

    show: ({ taskId, timeoutMs }) =>
      `Monitor started (task ${taskId}, expires in ${Math.round(timeoutMs / 1_000)}s unless the source ends first; its lines arrive as notices while you work). Do not wait for it or poll it. Stop it with TaskStop when you no longer need it.`,
  });
}

function checkSocket({ url, protocols = [] }: NonNullable<MonitorInput["ws"]>): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "ws:" && parsed?.protocol !== "wss:") {
    throw new ToolError(`'${url}' is not a WebSocket address: it must start with ws:// or wss://`);
  }
  if (parsed.username !== "" || parsed.password !== "")
    throw new ToolError("A WebSocket address cannot have a password");
  // The names become part of a request head.
  const invalid = protocols.find((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
  if (invalid !== undefined) throw new ToolError(`'${invalid}' is not a valid subprotocol`);
}
