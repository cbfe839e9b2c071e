// The interactive tools, loaded on first use: a session without a person to ask never needs them.

import type { Tool } from "@keelson/engine";
import type { InteractiveOptions } from "./interactive.ts";

export async function interactiveTools(options: InteractiveOptions): Promise<readonly Tool[]> {
  const tools = await import("./interactive.ts");
  return tools.interactiveTools(options);
}
