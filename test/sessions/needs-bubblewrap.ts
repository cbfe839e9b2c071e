// Tests of the shield and the sandbox need programs that not every machine has. CI must have them.

/** Why these tests cannot run; null when they can. An error in CI. */
export function confinementMissing(programs: readonly string[] = ["bwrap"]): string | null {
  if (process.platform !== "linux") return "needs Linux";
  const absent = programs.filter((name) => !Bun.which(name));
  const works = absent.length === 0 && Bun.spawnSync(["bwrap", "--dev-bind", "/", "/", "--", "true"]).success;
  if (works) return null;
  const reason = absent.length > 0 ? `not installed: ${absent.join(", ")}` : "bubblewrap cannot be used here";
  if (process.env["CI"]) throw new Error(`${reason}; run scripts/ci-packages.sh`);
  return reason;
}
