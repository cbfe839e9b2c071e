// The file extension for a media type, so that other programs know what a saved file is.

/** "bin" for a type that is not known. Parameters such as a charset are ignored. */
export function fileExtension(mediaType: string | undefined): string {
  const type = mediaType?.split(";")[0]!.trim().toLowerCase() ?? "";
  return Object.hasOwn(EXTENSIONS, type) ? EXTENSIONS[type]! : "bin";
}

const OFFICE = "application/vnd.openxmlformats-officedocument";

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/json": "json",
  "application/xml": "xml",
  [`${OFFICE}.wordprocessingml.document`]: "docx",
  [`${OFFICE}.spreadsheetml.sheet`]: "xlsx",
  [`${OFFICE}.presentationml.presentation`]: "pptx",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/wav": "wav",
  "audio/webm": "weba",
  "audio/x-wav": "wav",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/tiff": "tiff",
  "image/webp": "webp",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
  "text/plain": "txt",
  "video/mp4": "mp4",
  "video/webm": "webm",
};
