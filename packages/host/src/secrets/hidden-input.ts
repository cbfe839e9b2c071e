// Hides what is typed at the terminal, for secrets.

/** Until it is disposed. Does nothing where there is no terminal. */
export function hideInput(): Disposable {
  stty("-echo");
  return { [Symbol.dispose]: () => stty("echo") };
}

function stty(mode: string): void {
  try {
    Bun.spawnSync(["stty", mode], { stdin: "inherit", stdout: "ignore", stderr: "ignore" });
  } catch {
    // Not on this system: the secret is shown while it is typed.
  }
}
