// Commands so plain that there is nothing to keep them from: they only print, wait or compare words.
// Judged by the letters alone: no quotes, expansions, redirections, groups or paths, so there is no parser to be fooled.

const PLAIN = /^[\w .,:=+@%-]*(?:(?:;|&&)[\w .,:=+@%-]*)*$/;
const PROGRAMS = new Set(["echo", "sleep", "true", "false", ":", "pwd", "seq", "date", "whoami", "uname", "nproc"]);

/** True only when every part is one of a few programs that open no file, whatever their words say. */
export function opensNoFile(command: string): boolean {
  if (command.length > 1_000 || !PLAIN.test(command)) return false;
  const parts = command.split(/;|&&/).map((part) => part.trim());
  return parts.every((part) => {
    const [program = "", ...words] = part.split(/ +/);
    // `date -f FILE` and `date -r FILE` open one, `date -s` sets the clock: only its formats are plain.
    return PROGRAMS.has(program) && (program !== "date" || words.every((word) => word.startsWith("+")));
  });
}
