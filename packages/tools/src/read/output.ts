// The output of Read. Stored in transcripts, so the field names are the reference's.

export interface TextRead {
  readonly type: "text";
  readonly file: {
    readonly filePath: string;
    readonly content: string;
    readonly numLines: number;
    readonly startLine: number;
    readonly totalLines: number;
    /** Where the file goes on; absent if it ends here. */
    readonly nextOffset?: number;
    /** More was asked for than is shown at once. */
    readonly truncatedByTokenCap?: true;
  };
}

export interface ImageRead {
  readonly type: "image";
  readonly file: {
    readonly base64: string;
    readonly type: string;
    readonly originalSize: number;
    readonly dimensions: {
      readonly originalWidth: number;
      readonly originalHeight: number;
      readonly displayWidth: number;
      readonly displayHeight: number;
    };
  };
}

export interface CellOutput {
  readonly output_type: string;
  readonly text?: string;
  readonly image?: { readonly image_data: string; readonly media_type: string };
}

export interface Cell {
  readonly cellType: string;
  readonly source: string;
  readonly execution_count?: number;
  readonly cell_id: string;
  readonly language?: string;
  readonly outputs?: readonly CellOutput[];
}

export interface NotebookRead {
  readonly type: "notebook";
  readonly file: { readonly filePath: string; readonly cells: readonly Cell[] };
}

export interface PdfRead {
  readonly type: "pdf";
  readonly file: { readonly filePath: string; readonly base64: string; readonly originalSize: number };
}

/** Selected pages of a PDF: as images, or as text if they cannot be drawn. `outputDir` is always null. */
export interface PagesRead {
  readonly type: "parts";
  readonly file: {
    readonly filePath: string;
    readonly originalSize: number;
    readonly count: number;
    readonly outputDir: null;
  };
  /** Absent if the pages are images. */
  readonly totalPages?: number;
  readonly pages: readonly PageRead[];
}

export interface PageRead {
  readonly page: number;
  readonly text?: string;
  readonly image?: { readonly type: string; readonly base64: string };
}

export interface UnchangedRead {
  readonly type: "file_unchanged";
  readonly file: { readonly filePath: string };
}

export type ReadOutput = TextRead | ImageRead | NotebookRead | PdfRead | PagesRead | UnchangedRead;
