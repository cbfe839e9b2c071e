// Decides from the file name how to read a file. The content is checked when it is read.

import { extname } from "node:path";

export type Kind = "text" | "image" | "pdf" | "notebook" | "binary";

export function fileKind(path: string): Kind {
  const extension = extname(path).slice(1).toLowerCase();
  if (IMAGES.includes(extension)) return "image";
  if (extension === "pdf") return "pdf";
  if (extension === "ipynb") return "notebook";
  return BINARY.includes(` ${extension} `) && extension !== "" ? "binary" : "text";
}

export function binaryFileMessage(path: string): string {
  const extension = extname(path).toLowerCase();
  return `This tool cannot read binary files. The file appears to be a binary ${extension ? `${extension} ` : ""}file. Please use appropriate tools for binary file analysis.`;
}

const IMAGES = ["png", "jpg", "jpeg", "gif", "webp"];

const BINARY = ` ${[
  "exe dll so dylib lib a o obj ko bin dat com sys elf node wasm class jar war ear pyc pyo pyd pdb",
  "zip tar gz tgz bz2 tbz xz txz zst lz4 7z rar cab iso img dmg deb rpm msi apk ipa",
  "mp3 mp4 m4a m4v mov avi mkv webm wav flac ogg opus aac wma wmv mpg mpeg",
  "bmp ico tif tiff psd heic heif avif icns xcf raw",
  "ttf otf woff woff2 eot",
  "doc docx xls xlsx ppt pptx odt ods odp pages numbers key",
  "db sqlite sqlite3 mdb accdb parquet avro npy npz pkl pickle h5 hdf5 pt pth onnx safetensors gguf",
].join(" ")} `;
