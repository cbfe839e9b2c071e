// Detects the type of a base64 image from its first bytes. Names and labels of servers can be wrong, and the API rejects those.

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** Undefined if the API does not accept it. */
export function imageType(base64: string): ImageType | undefined {
  if (base64.length % 4 !== 0 || !isBase64(base64)) return undefined;
  if (base64.startsWith("iVBORw0KGgo")) return "image/png";
  if (base64.startsWith("/9j/")) return "image/jpeg";
  if (base64.startsWith("R0lGOD")) return "image/gif";
  // RIFF, a four-byte length, WEBP.
  if (base64.startsWith("UklGR") && atob(base64.slice(0, 16)).slice(8) === "WEBP") return "image/webp";
  return undefined;
}

export const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text);
