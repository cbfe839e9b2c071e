// A monitor of a WebSocket: a row in the task table, with each message as a line in its file and for whoever reads them.

import { closeSync, fstatSync, writeSync } from "node:fs";
import { ToolError, type BackgroundCommand, type LineSink } from "@keelson/engine";
import { createPrivateFile } from "../../files/private-file.ts";
import { BACKGROUND_LIMIT } from "../background-limit.ts";
import { followSource } from "../monitor.ts";
import { newTaskId } from "../task-id.ts";
import type { Tasks } from "../task-table.ts";
import { openSocket, type ListeningSocket, type SocketSource } from "./open-socket.ts";

export interface WatchSocketOptions {
  readonly source: SocketSource;
  readonly description: string;
  readonly toolUseId: string;
  readonly owner?: string | undefined;
  readonly lines: LineSink;
  /** Ends the attempt to connect. */
  readonly signal: AbortSignal;
  /** For the file. */
  readonly directory: string;
  readonly tasks: Tasks;
}

export async function watchSocket(options: WatchSocketOptions): Promise<BackgroundCommand> {
  const { source, description, toolUseId, owner, lines, signal, tasks } = options;
  let take: (text: string) => void = (text) => void early.push(text);
  const early: string[] = [];
  const socket: ListeningSocket = await openSocket(source, (text) => take(text), { signal }).catch((error: Error) => {
    throw new ToolError(`Cannot connect to ${source.url}: ${error.message}`);
  });
  const id = newTaskId("m");
  const { fd, path } = createPrivateFile(options.directory, `${id}.output`);
  const monitor = followSource(description, lines, () => socket.close());
  const task = tasks.start(
    { id, type: "monitor", description, toolUseId, outputPath: path, ...(owner ? { owner } : {}) },
    monitor.stop,
  );
  take = (text) => {
    const bytes = Buffer.from(text.endsWith("\n") ? text : `${text}\n`);
    if (fstatSync(fd).size + bytes.length > BACKGROUND_LIMIT.maxBytes) return socket.close();
    try {
      writeSync(fd, bytes);
    } catch {
      // The disk is full. Whoever reads the lines still gets them.
    }
    monitor.push(bytes);
  };
  for (const text of early) take(text);
  void socket.ended.then((end) => {
    take = () => {};
    closeSync(fd);
    task.end(monitor.ended(end));
  });
  return { id, outputPath: path };
}
