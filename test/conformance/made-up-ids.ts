// Ids that a client gives to prompts without one, and the messages as they are without them.

import type { Outbound } from "@keelson/protocol";

/** Prompts without an id have no lifecycle, and are not named by what they caused. */
export class MadeUpIds {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id);
  }

  /** The message as it is for prompts without an id. */
  without(message: any): Outbound | undefined {
    if (message.type === "command_lifecycle" && this.#ids.has(message.command_uuid)) return undefined;
    const all: readonly string[] = message.user_message_uuids ?? [];
    const given = all.filter((id) => !this.#ids.has(id));
    if (all.length === given.length) return message;
    const { user_message_uuid: _, user_message_uuids: __, ...rest } = message;
    return given.length === 0 ? rest : { ...rest, user_message_uuid: given.at(-1), user_message_uuids: given };
  }
}
