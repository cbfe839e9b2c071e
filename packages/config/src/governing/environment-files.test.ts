import { expect, test } from "bun:test";
import { filesInEnvironment } from "./environment-files.ts";

const place = { cwd: "/p", home: "/home/me" };

test.each([
  [
    { BASH_ENV: "/etc/env.sh", ENV: "$HOME/.shinit", PYTHONSTARTUP: "~/.py" },
    ["/etc/env.sh", "/home/me/.py", "/home/me/.shinit"],
  ],
  [{ BASH_ENV: "env.sh" }, ["/p/env.sh"]],
  [{ LD_PRELOAD: "/a/one.so:/b/two.so libjemalloc.so.2 /c/three.so" }, ["/a/one.so", "/b/two.so", "/c/three.so"]],
  [{ LD_AUDIT: "/a/one.so:two.so" }, ["/a/one.so"]],
  [
    {
      NODE_OPTIONS:
        '--max-old-space-size=4096 -r ./hook.cjs --import=file:///x/y.mjs --require "/a b/c.js" --import tsx',
    },
    ["/p/hook.cjs", "/x/y.mjs", "/a b/c.js"],
  ],
  [{ JAVA_TOOL_OPTIONS: "-javaagent:/opt/agent.jar=port=1 -Xmx1g" }, ["/opt/agent.jar"]],
  [{ RUBYOPT: "-W0 -r/lib/x.rb -rbundler/setup" }, ["/lib/x.rb", "/p/bundler/setup"]],
  [{ CURL_HOME: "/c", WGETRC: "/w", npm_config_userconfig: "/n" }, ["/w", "/n", "/c/.curlrc"]],
  [{ ENV: "production", GIT_CONFIG_GLOBAL: "/dev/null" }, []],
  [{ BASH_ENV: "", LD_PRELOAD: "", NODE_OPTIONS: "--no-warnings" }, []],
])("filesInEnvironment(%j)", (env, files) => {
  expect(filesInEnvironment(env, place)).toEqual(files);
});
