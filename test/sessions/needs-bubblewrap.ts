// Tests of the shield and the sandbox need programs that not every machine has. CI must have them.

/** Null when all is there; else why the tests are left out. Under CI that is a failure instead. */
export function confinementMissing(programs: readonly string[] = ["bwrap"]): string | null {
  if (process.platform !== "linux") return "only Linux can be tested";
  const absent = programs.filter((name) => !Bun.which(name));
  const works = absent.length === 0 && Bun.spawnSync(["bwrap", "--dev-bind", "/", "/", "--", "true"]).success;
  const reason =
    absent.length > 0 ? `${absent.join(" and ")} not installed` : works ? null : "bubblewrap cannot be used here";
  if (reason === null) return null;
  if (process.env["CI"]) throw new Error(`${reason}: run scripts/ci-packages.sh, which installs what the tests need`);
  console.warn(`Shield and sandbox are not tested: ${reason}`);
  return reason;
}
