// How the model gets the instructions of MCP servers: those known before the first request in the system prompt, later
// ones as a reminder, because a changed system prompt would cost the provider's whole cache.

import { renderServerInstructions } from "@keelson/mcp";

interface ServerText {
  readonly name: string;
  readonly instructions: string;
}

export class ServerInstructions {
  #own: readonly string[] | undefined;
  #system: readonly string[] = [];
  #told = new Map<string, string>();
  /** Those that the model was told of in the conversation. */
  readonly #late = new Set<string>();

  /** The system prompt of a conversation that began before any server had connected. */
  began(system: readonly string[]): void {
    if (this.#own === undefined) this.#own = this.#system = system;
  }

  /** The system prompt for the next run, and what to add as a reminder. */
  update(
    own: readonly string[],
    servers: readonly ServerText[],
  ): { readonly system: readonly string[]; readonly notice?: string } {
    const isOutdated = [...this.#told].some(([name, text]) => textOf(servers, name) !== text);
    if (own !== this.#own || isOutdated) {
      this.#own = own;
      this.#told = new Map(servers.map(({ name, instructions }) => [name, instructions]));
      this.#late.clear();
      const rendered = renderServerInstructions(servers);
      this.#system = rendered === undefined ? own : [...own.slice(0, -1), `${own.at(-1) ?? ""}\n\n${rendered}`];
      return { system: this.#system };
    }
    const notice = this.late(servers);
    return { system: this.#system, ...(notice === undefined ? {} : { notice }) };
  }

  /** What to add as a reminder during a run. */
  late(servers: readonly ServerText[]): string | undefined {
    const late = servers.filter(({ name }) => !this.#told.has(name));
    for (const { name, instructions } of late) {
      this.#told.set(name, instructions);
      this.#late.add(name);
    }
    return renderServerInstructions(late);
  }

  /** The reminders are gone from the conversation: what they said, once more. */
  again(): string | undefined {
    const late = [...this.#late].map((name) => ({ name, instructions: this.#told.get(name) ?? "" }));
    return renderServerInstructions(late);
  }
}

const textOf = (servers: readonly ServerText[], name: string) =>
  servers.find((server) => server.name === name)?.instructions;
