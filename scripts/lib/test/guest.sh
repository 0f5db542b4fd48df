#!/bin/sh
# The first process of the guest (guest.mjs). The guest can read the whole file system of this machine. What it writes
# stays in its memory, except in the folder of this file. That folder has the guest's image and its command.
set -eu
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
folder=$(dirname "$0")

if [ "${1-}" != inside ]; then
  mount -t proc proc /proc
  mount -t tmpfs tmpfs /run
  mkdir -p /run/upper /run/work /run/root /run/modules/lib
  ln -s /usr/lib/uml/modules /run/modules/lib/modules
  modprobe --dirname /run/modules --all overlay bridge veth
  mount -t overlay -o lowerdir=/,upperdir=/run/upper,workdir=/run/work overlay /run/root
  cd /run/root
  mount -t proc proc proc
  mount -t sysfs sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  mount -t devtmpfs devtmpfs dev
  mkdir -p dev/pts dev/shm var/lib/docker
  mount -t devpts devpts dev/pts
  mount -t tmpfs tmpfs dev/shm
  mount -t tmpfs tmpfs var/lib/docker
  mount -t tmpfs tmpfs run
  mount -t hostfs -o "$folder" hostfs ".$folder"
  # A mere chroot would not do: what is executed in a container would find itself in the old root.
  mkdir run/old
  pivot_root . run/old
  exec chroot . "$0" inside
fi

# guest.mjs reads this line in any case, and then ends the guest.
trap 'code=$?; sync; echo; echo "guest ended with $code"; exec sleep infinity' EXIT
umount --lazy /run/old
echo {} >/run/no-settings.json
dockerd --config-file /run/no-settings.json --bridge none --iptables=false --ip6tables=false --ip-forward=false \
  >/run/dockerd.log 2>&1 &
until version=$(docker info --format '{{.CgroupVersion}}' 2>/dev/null); do
  kill -0 $! || { tail -n 20 /run/dockerd.log && exit 1; }
  sleep 0.2
done
echo "the engine of the guest has control groups of version $version"
[ "$version" = 2 ]
docker import "$folder/image.tar" slipway-guest:latest >/dev/null
sh "$folder/command"
