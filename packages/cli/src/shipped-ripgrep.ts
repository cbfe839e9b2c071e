// The ripgrep inside the executable. From source there is none; the build puts its path here.

export const shippedRipgrep: string | undefined = undefined;
