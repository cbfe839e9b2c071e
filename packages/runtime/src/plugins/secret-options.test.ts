import { expect, test } from "bun:test";
import { withSecretValues } from "./secret-options.ts";

test("secret options are filled in once, into every text of a server except a shell command", () => {
  const values = { token: "s3cret ${user_config.other}", other: "x" };
  const text = "a ${user_config.token} ${user_config.none} ${HOME}";
  const filled = "a s3cret ${user_config.other} ${user_config.none} ${HOME}";
  expect(withSecretValues({ type: "stdio", command: "run", args: [text], env: { T: text } }, values)).toEqual({
    type: "stdio",
    command: "run",
    args: [filled],
    env: { T: filled },
  });
  const remote = { type: "http", url: "https://x.example/", headers: { A: text }, headersHelper: text } as const;
  expect(withSecretValues(remote, values)).toEqual({ ...remote, headers: { A: filled } });
});
