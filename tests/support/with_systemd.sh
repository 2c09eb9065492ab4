#!/usr/bin/env bash
# Run a command under a real systemd, on a machine whose own first process may be anything.
#
#   tests/with_systemd.sh [--bind FOLDER]... [COMMAND [ARGUMENT]...]
#
# New namespaces (processes, mounts, cgroups, host name, IPC, network), the machine's files below a
# layer that is thrown away, and systemd as the first process in there: it is up within a second, and
# nothing that is done inside reaches the machine, except below a --bind FOLDER. The exit status is
# that of the command. Without a command, the process id of that systemd is printed, to be entered
# with nsenter; it ends when standard input does.
#
# Needs root, systemd and dbus, and overlayfs and cgroup2 in the kernel. 97: systemd did not come up.
set -euo pipefail

binds=()
while [ "${1:-}" = --bind ]; do binds+=("$2"); shift 2; done
[ "$(id -u)" = 0 ] || { echo "with_systemd: needs root" >&2; exit 97; }
init=
for path in /lib/systemd/systemd /usr/lib/systemd/systemd; do [ ! -x "$path" ] || init=$path; done
[ -n "$init" ] || { echo "with_systemd: systemd is missing" >&2; exit 97; }

work=$(mktemp -d /tmp/with_systemd.XXXXXX)
boot=
first=
cgroups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -z "$cgroups" ]; then
    cgroups=$work/cgroups
    mkdir "$cgroups"
    mount -t cgroup2 none "$cgroups"
fi
cgroup=$cgroups/with_systemd.$$

clean() {
    status=$?
    trap - EXIT INT TERM HUP
    set +e
    if [ -n "$first" ]; then kill -KILL "$first" 2>/dev/null; fi
    if [ -n "$boot" ]; then kill -KILL "$boot" 2>/dev/null; wait "$boot" 2>/dev/null; fi
    # A cgroup can go once the last process in it has gone.
    for _ in $(seq 50); do
        [ -d "$cgroup" ] && find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null
        [ -d "$cgroup" ] || break
        sleep 0.1
    done
    [ "$cgroups" != "$work/cgroups" ] || umount "$cgroups"
    rm -rf --one-file-system "$work"
    exit "$status"
}
trap clean EXIT
trap 'exit 130' INT TERM HUP
mkdir "$cgroup"

cat >"$work/inside" <<'INSIDE'
set -e
work=$1 init=$2
shift 2
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$work"
root=$work/root
mkdir "$work/upper" "$work/layers" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/layers" overlay "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755,nosuid,nodev tmpfs "$root/run"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp"
mount -t tmpfs -o mode=755,nosuid tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue"
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "$root/dev/${number#*:}"; done
for folder in "$@"; do
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
done
# Of all that the machine would start, only what a user manager needs.
units=$root/etc/systemd/system
mkdir -p "$units"
find "$units" -mindepth 1 -maxdepth 1 \( -name '*.wants' -o -name '*.requires' \) -exec rm -r {} +
cat >"$units/lab.target" <<END
[Unit]
Requires=basic.target
Wants=dbus.service systemd-logind.service
After=basic.target dbus.service systemd-logind.service
AllowIsolate=yes
END
ln -sf lab.target "$units/default.target"
rm -rf "$root/var/lib/systemd/linger"
: >"$root/etc/fstab"
: >"$root/etc/machine-id"
printf '[Journal]\nStorage=volatile\nRateLimitBurst=0\n' >"$root/etc/systemd/journald.conf"
mkdir "$root/.old"
cd "$root"
pivot_root . .old
umount -l /.old
rmdir /.old
mount --make-rshared /  # as systemd does at a real boot, so that later mounts reach its services
exec env -i container=other PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "$init" --log-target=journal --show-status=0
INSIDE

(
    echo "$BASHPID" >"$cgroup/cgroup.procs"
    exec setsid unshare --mount --pid --fork --cgroup --uts --ipc --net --kill-child=KILL \
        bash "$work/inside" "$work" "$init" ${binds[@]+"${binds[@]}"}
) >"$work/log" 2>&1 </dev/null &
boot=$!

enter() {
    nsenter -t "$first" -a env -i HOME=/root LANG=C.UTF-8 SYSTEMD_COLORS=0 SYSTEMD_PAGER= \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
state=
for _ in $(seq 300); do
    kill -0 "$boot" 2>/dev/null || break
    first=$(cat "/proc/$boot/task/$boot/children" 2>/dev/null | tr -d ' ')
    if [ -n "$first" ] && [ "$(cat "/proc/$first/comm" 2>/dev/null)" = systemd ]; then
        state=$(enter systemctl is-system-running 2>/dev/null) || true
        case $state in running | degraded) break ;; esac
    fi
    sleep 0.1
done
case $state in
    running | degraded) ;;
    *)
        echo "with_systemd: systemd did not come up: ${state:-no answer}" >&2
        cat "$work/log" >&2
        exit 97
        ;;
esac

if [ $# = 0 ]; then
    echo "$first"
    cat >/dev/null
else
    enter "$@"
fi
