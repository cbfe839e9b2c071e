// Other servers of this user may have the usual port.

const USUAL_PORT = 4600;
const PORTS_TRIED = 20;

/** On the port that is wanted, or on the first one that is free. */
export function serveOnFreePort<T>(serve: (port: number) => T, wanted: number | undefined): T {
  if (wanted !== undefined) return serve(wanted);
  for (let port = USUAL_PORT; ; port++) {
    try {
      return serve(port);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken || port === USUAL_PORT + PORTS_TRIED) throw error;
    }
  }
}

/** For people. */
export function whyNotServed(error: unknown, port: number | undefined): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return port === undefined
      ? `The ports ${USUAL_PORT} to ${USUAL_PORT + PORTS_TRIED} are in use; choose another one with --port, or any with --port 0`
      : `Port ${port} is in use; choose another one with --port, or leave it out to use the next free one`;
  }
  if (code === "EACCES") return `This user may not listen on port ${port}; choose one from 1024 on with --port`;
  return message;
}
