// How much a task may write. One that writes more is stopped, so it does not fill the disk.

export const BACKGROUND_LIMIT = { maxBytes: 1024 ** 3, note: "\n[stopped: the output exceeded 1 GB]\n" };
