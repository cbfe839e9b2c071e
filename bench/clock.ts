// A clock in milliseconds that is the same in all processes of this machine.

export function clock(): number {
  return performance.timeOrigin + performance.now();
}
