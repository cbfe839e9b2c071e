// Tells someone who looks elsewhere that the agent is done or asks something.

import type { ControlRequest } from "@keelson/protocol";
import type { TerminalHost } from "../host.ts";
import { Attention } from "../life/notify.ts";

export class Alerts {
  readonly #host: TerminalHost;
  readonly #attention: Attention;

  constructor(host: TerminalHost) {
    this.#host = host;
    this.#attention = new Attention(host.settings["preferredNotifChannel"]);
  }

  focus(focused: boolean): void {
    this.#attention.focus(focused);
  }

  pressed(now: number): void {
    this.#attention.pressed(now);
  }

  /** A run is over. */
  finished(startedMs: number, now: number): void {
    this.#notify(this.#attention.finished(startedMs, now));
  }

  /** A question is shown. */
  asked({ request_id: id, request }: ControlRequest): void {
    const tool = request.subtype === "can_use_tool" ? request.tool_name : undefined;
    const question =
      typeof tool === "string" ? `Keelson needs your permission to use ${tool}` : "Keelson has a question";
    this.#notify(this.#attention.waiting(id, question, this.#host.now()));
  }

  #notify(text: string | undefined): void {
    if (text !== undefined) this.#host.notify(text);
  }
}
