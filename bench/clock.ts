// Milliseconds that two processes of this machine agree on.

export function clock(): number {
  return performance.timeOrigin + performance.now();
}
