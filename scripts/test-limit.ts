// Loaded before every test file (bunfig.toml). A test that takes this long hangs, however slow the machine is.

import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(300_000);
