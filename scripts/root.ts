// Where the repository is.

import { dirname } from "node:path";

export const root = dirname(import.meta.dir);
