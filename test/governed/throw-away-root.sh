#!/bin/sh
# Runs a command as root in a copy of the whole file system that is thrown away: an overlay in memory, in a mount
# namespace of its own. What the command writes anywhere is gone when it ends. Not with chroot: in one, the kernel lets
# no ordinary user make a namespace, so there would be no shield.
#   unshare --mount --net sh throw-away-root.sh COMMAND ...
set -eu
ip link set lo up
here=$PWD
folder=/mnt
mount -t tmpfs -o mode=0755 tmpfs "$folder"
mkdir "$folder/changes" "$folder/work" "$folder/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes,workdir=$folder/work,redirect_dir=on" "$folder/root"
for name in proc sys dev; do mount --rbind "/$name" "$folder/root/$name"; done
mkdir -p "$folder/root/tmp" "$folder/root/mnt"
chmod 1777 "$folder/root/tmp"
cd "$folder/root"
pivot_root . mnt
umount -l /mnt
export TMPDIR=/tmp
cd "$here"
exec "$@"
