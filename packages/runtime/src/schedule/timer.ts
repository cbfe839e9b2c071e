// One timer, which keeps no process alive.

/** Returns how to stop it. */
export type StartTimer = (ms: number, fire: () => void) => () => void;

export const systemTimer: StartTimer = (ms, fire) => {
  const timer = setTimeout(fire, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
