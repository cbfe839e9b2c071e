// The files of the page, as they are built and as the server keeps them.

export interface BuiltFile {
  readonly type: string;
  readonly text: string;
}

export interface PageFile extends BuiltFile {
  readonly packed: Uint8Array<ArrayBuffer>;
  /** An ETag. */
  readonly tag: string;
}

/** By their paths. */
export type PageFiles = Readonly<Record<string, PageFile>>;
export type BuiltFiles = Readonly<Record<string, BuiltFile>>;

/** `page`: sessions, of `keelson web`. `routines`: what `keelson serve` shows. `export`: what an exported session has in it. */
export type PageName = "page" | "routines" | "export";
export type BuiltPages = Readonly<Record<PageName, BuiltFiles>>;

export function readyFiles(built: BuiltFiles): PageFiles {
  return Object.fromEntries(
    Object.entries(built).map(([path, file]) => {
      const packed = Bun.gzipSync(Buffer.from(file.text), { level: 9 });
      return [path, { ...file, packed, tag: `"${Bun.hash(file.text).toString(36)}"` }];
    }),
  );
}
