// How a query can fail. Callers branch on `errorClass`; the classes carry the details.

export type ErrorClass =
  | "aborted"
  | "error_result"
  | "process_exited_nonzero"
  | "executable_not_found"
  | "control_request_failed"
  | "connection_failed"
  | "invalid_output";

/** The query was aborted through its AbortController. */
export class AbortError extends Error {
  override readonly name: string = "AbortError";
  readonly errorClass: ErrorClass = "aborted";

  constructor(message = "The query was aborted") {
    super(message);
  }
}

/** The program was not found. */
export class CLINotFoundError extends ReferenceError {
  override readonly name: string = "CLINotFoundError";
  readonly errorClass: ErrorClass = "executable_not_found";
  readonly code = "ENOENT";
}

/** The program exists but could not be started, or no longer listens. */
export class CLIConnectionError extends Error {
  override readonly name: string = "CLIConnectionError";
  readonly errorClass: ErrorClass = "connection_failed";
}

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of what it wrote to stderr. */
  readonly stderr: string;
}

/** The program ended unexpectedly. */
export class ProcessError extends Error {
  override readonly name: string = "ProcessError";
  readonly errorClass: ErrorClass = "process_exited_nonzero";
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderr: string;

  constructor({ exitCode, signal, stderr }: Exit) {
    const how = signal === null ? `exited with code ${exitCode}` : `terminated by signal ${signal}`;
    super(`Claude Code process ${how}${stderr.trim() === "" ? "" : `. stderr: ${stderr.trim()}`}`);
    this.exitCode = exitCode;
    this.signal = signal;
    this.stderr = stderr;
  }
}

/** The last run ended with an error; its `result` message was yielded before. */
export class ResultError extends Error {
  override readonly name: string = "ResultError";
  readonly errorClass: ErrorClass = "error_result";
  readonly subtype: string;
  readonly errors: readonly string[];
  readonly sessionId: string;
  readonly terminalReason: string | undefined;
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(result: Record<string, any>, { exitCode, stderr }: Exit) {
    const errors: string[] = Array.isArray(result["errors"]) ? result["errors"].map(String) : [];
    super(`Claude Code returned an error result: ${errors.length > 0 ? errors.join("; ") : String(result["result"])}`);
    this.subtype = String(result["subtype"]);
    this.errors = errors;
    this.sessionId = String(result["session_id"] ?? "");
    this.terminalReason = result["terminal_reason"];
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** The program refused a request, such as `setModel`. */
export class ControlRequestError extends Error {
  override readonly name: string = "ControlRequestError";
  readonly errorClass: ErrorClass = "control_request_failed";
  /** Short name of the reason, if the program gave one. */
  readonly errorCode: string | undefined;

  constructor(message: string, errorCode?: string) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** The program wrote a line that looks like a message but is not valid JSON. */
export class CLIJSONDecodeError extends Error {
  override readonly name: string = "CLIJSONDecodeError";
  readonly errorClass: ErrorClass = "invalid_output";
  /** The beginning of the line. */
  readonly line: string;

  constructor(line: string, cause: unknown) {
    super(`The program wrote a line that is not valid JSON: ${(cause as Error).message}`, { cause });
    this.line = line.slice(0, 200);
  }
}
