// Saves a conversation as a file.

import { ApiError, messageOf, unreachable } from "./api.ts";
import { token } from "./device.ts";

export type ExportFormat = "markdown" | "html" | "json";

/** A link would need the token in its address. */
export async function download(session: string, format: ExportFormat): Promise<void> {
  const response = await fetch(`./v1/sessions/${session}/export?format=${format}`, {
    credentials: "omit",
    cache: "no-store",
    headers: { Authorization: `Bearer ${token.value ?? ""}` },
  }).catch(unreachable);
  if (!response.ok) throw new ApiError(response.status, messageOf(await response.json()) ?? "It could not be exported");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `${session}.${format === "markdown" ? "md" : format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LOADED_MS);
}

/** By then, a browser has what it saves. */
const LOADED_MS = 60_000;
