// What kind of image some base64 text is, by how it begins. Servers mislabel; the API checks.

/** Undefined for anything the model cannot be shown. */
export function imageType(base64: string): string | undefined {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  if (base64.startsWith("iVBORw0KGgo")) return "image/png";
  if (base64.startsWith("/9j/")) return "image/jpeg";
  if (base64.startsWith("R0lGOD")) return "image/gif";
  // RIFF, four bytes of length, WEBP.
  if (base64.startsWith("UklGR") && atob(base64.slice(0, 16)).slice(8) === "WEBP") return "image/webp";
  return undefined;
}
