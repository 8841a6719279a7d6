"""picad's units in a virtual machine, run by systemd as the first process of a name space.

Each case gives options of kmsvm.py and what the guest runs.
"""
import pathlib
import re
import shutil

UNITS = pathlib.Path(__file__).resolve().parents[2] / 'service/systemd'
SYSTEMD = '/usr/lib/systemd/systemd'
# The guest's root: not the initramfs, which nobody can leave.
MANAGER = r"""
mkdir -p /run/n; mount -t tmpfs -o mode=755,size=80% n /run/n; cd /run/n
mkdir -p proc sys dev run tmp root var/lib etc/systemd/system etc/pica/kiosk home
cp -a /bin /lib /lib64 /usr /still.pica /check.sh .; cp -a /etc/. etc
echo root:x:0:0::/root:/bin/sh >etc/passwd; printf 'root:x:0:\nrender:x:44:\n' >etc/group; chmod 1777 tmp
printf '[Manager]\nShowStatus=no\n' >etc/systemd/system.conf
printf '[Unit]\nWants=check.service @WANTS@\n' >etc/systemd/system/default.target
printf '[Service]\nType=oneshot\nExecStart=/bin/sh /check.sh\nTimeoutStartSec=@SECONDS@\n' >etc/systemd/system/check.service
@PREPARE@
mount --rbind /dev dev; mount --rbind /sys sys; mount -t tmpfs -o mode=755 run run
mount -t cgroup2 cgroup2 sys/fs/cgroup
unshare -m -p -f sh -c 'mount -t proc proc proc; mount --move . /; exec chroot . env -i container=kmsvm \
    PATH=/bin:/usr/bin /usr/lib/systemd/systemd --log-target=console --log-level=warning \
    --show-status=no' </dev/null &
manager=$!
while [ ! -e rc ] && kill -0 $manager; do sleep 0.2; done
exit $(cat rc)
"""
CHECKS = r"""
exec >/dev/ttyS0 2>&1 </dev/null; rc=0
bad() { echo "not ok: $*"; rc=1; systemctl --no-pager list-units 'picad*'; tail -n 4 /tmp/picad.log; }
same() { [ "$2" = "$3" ] || bad "$1: \"$2\", expected \"$3\""; }
main() { systemctl show -P MainPID "$1"; }
field() { sed -n "s/^$2:[[:space:]]*//p" /proc/$1/status | tr '\t' ' '; }
# photograph NAME CRC: waits for it, 60 s at most
photograph() { n=0; while :; do a=$(ctl SHOT "$1" 0); case "$a" in "OK $2 "*) break;; esac
  n=$((n + 1)); [ $n -lt 600 ] || { bad "$1: $a, expected $2"; break; }; sleep 0.1; done; }
# another UNIT PID: waits until it is another process, as long
another() { n=0; while :; do m=$(main $1); [ "$m" = "$2" ] || [ "$m" = 0 ] || break
  n=$((n + 1)); [ $n -lt 200 ] || { bad "$1: no other process than $2"; break; }; sleep 0.3; done; }
"""


def guest(folder, check, wants, seconds, prepare=''):
    """Options and script that run systemd, which wants some units, and check in it."""
    folder.mkdir(exist_ok=True)
    (folder / 'check.sh').write_text(CHECKS + check)
    (folder / 'vm.conf').write_text('[Service]\nWatchdogSec=10\nStandardError=append:/tmp/picad.log\n')
    options = ['--timeout', str(seconds + 20), '--mem', '1024', '--gpu', 'virtio', '--mode', '400x480',
               '--exe', f'{SYSTEMD}:{SYSTEMD}', '--exe', shutil.which('systemctl'), '--add', f'{folder}/check.sh:/check.sh']
    for target in sorted(pathlib.Path('/usr/lib/systemd/system').glob('*.target')):
        if not target.is_symlink():
            options += ['--add', f'{target}:{target}']
    for unit in UNITS.iterdir():
        name = unit.name.removesuffix('.in')
        if name.endswith(('.service', '.socket')):
            (folder / name).write_text(unit.read_text().replace('@picad@', '/usr/bin/picad').replace('@bindir@', '/usr/bin'))
            options += ['--add', f'{folder / name}:/etc/systemd/system/{name}']
    return options, MANAGER.replace('@WANTS@', wants).replace('@SECONDS@', str(seconds)).replace('@PREPARE@', prepare)


def units(cases, pictured, hashes):
    """The units as they are installed, with all that confines them."""
    folder = cases.work / 'units'
    check = r"""
draw() { same "$1" "$(pica render --connect=/run/pica/0 --progress never --format hash -o - /still.pica | tr -s ' \n' '  ')" '@HASHES@'; }

same socket "$(systemctl is-active picad.socket)" active
same mode "$(stat -c '%a %G' /run/pica/0)" '660 render'
same asleep "$(systemctl is-active picad.service)" inactive
draw first
same awake "$(systemctl is-active picad.service)" active
pid=$(main picad.service)
case "$(field $pid Uid)" in 0*|'') bad "user: $(field $pid Uid)";; esac
same capabilities "$(field $pid CapEff) $(field $pid CapBnd)" '0000000000000000 0000000000000000'
same privileges "$(field $pid NoNewPrivs) $(field $pid Seccomp)" '1 2'
echo "picture: units: picad.service is confined: $(field $pid Seccomp_filters) filters"
systemctl reload picad.service || bad reload; draw reloaded; same same "$(main picad.service)" $pid
for how in SEGV ABRT KILL KILL KILL KILL KILL KILL; do
  pid=$(main picad.service); [ "$pid" -gt 1 ] && kill -$how $pid; another picad.service $pid; draw "after $how"
done
same restarts "$(systemctl show -P NRestarts picad.service)" 8
systemctl restart picad.service || bad restart; draw restarted
systemctl stop picad.service || bad stop; same socket-stays "$(systemctl is-active picad.socket)" active; draw again
# Who does not answer is replaced.
pid=$(main picad.service); [ "$pid" -gt 1 ] && kill -STOP $pid; another picad.service $pid
same watchdog "$(systemctl show -P NRestarts picad.service)" 1; draw watched
systemctl stop picad.service picad.socket; [ ! -e /run/pica/0 ] || bad 'the socket is left'
echo 'picture: units: picad.service restarts'

printf '[picad]\nkiosk = /still.pica\n' >/etc/pica/kiosk/hall.conf
systemctl start picad-kiosk@hall.service || bad kiosk; photograph kiosk @PICTURE@
pid=$(main picad-kiosk@hall.service); kill -9 $pid; another picad-kiosk@hall.service $pid; photograph kiosk-back @PICTURE@
same kiosk-privileges "$(field $(main picad-kiosk@hall.service) NoNewPrivs)" 1
systemctl stop picad-kiosk@hall.service; same result "$(systemctl show -P Result picad-kiosk@hall.service)" success
systemctl start picad-kiosk@none.service; same unconfigured "$(systemctl is-active picad-kiosk@none.service)" inactive
echo 'picture: units: picad-kiosk@'
echo $rc >/rc
"""
    check = check.replace('@HASHES@', hashes).replace('@PICTURE@', pictured)
    options, script = guest(folder, check, 'picad.socket', 280)
    return [*options, '--exe', f'{cases.build}/service/picad:/usr/bin/picad',
            '--add', f'{folder}/vm.conf:/etc/systemd/system/picad.service.d/vm.conf'], script


def users(cases, hashes):
    """A service for each of two users, one of whom attacks and crashes hers: the other's continues."""
    folder = cases.work / 'users'
    check = r"""
as() { name=$1; shift; su -s /bin/sh $name -c "$*"; }
# Verbs without --connect take the service of the user who calls them.
draw() { same "$1: $2" "$(as $1 pica render --connect=/run/pica/$1/0 --progress never --format hash -o - /still.pica | tr -s ' \n' '  ')" '@HASHES@'; }
# What alice has: her service and her sessions, which nobody else's end may take.
held() { echo "$(main picad@alice.service) $(as alice pica sessions | awk '$0 ~ / raw / { printf "%s ", $1 }')"; }
await_held() { n=0; until [ "$(held | wc -w)" = 9 ]; do n=$((n + 1)); [ $n -lt 100 ] || { bad "eight sessions: $(held)"; return; }; sleep 0.1; done; }

same sockets "$(stat -c '%a %U' /run/pica/alice/0 /run/pica/mallory/0 | tr '\n' ' ')" '600 alice 600 mallory '
as mallory pica render --connect=/run/pica/alice/0 --format hash -o - /still.pica 2>/dev/null && bad 'mallory draws with the service of alice'
draw alice first; draw mallory first
same user "$(field $(main picad@alice.service) Uid)" '1000 1000 1000 1000'
same user "$(field $(main picad@mallory.service) Uid)" '1001 1001 1001 1001'
as alice neighbours --socket /run/pica/alice/0 silent & await_held; before=$(held)
for how in SEGV ABRT KILL KILL; do
  pid=$(main picad@mallory.service); [ "$pid" -gt 1 ] && kill -$how $pid; draw alice "after $how"
  another picad@mallory.service $pid; draw mallory "after $how"
done
echo 'picture: users: one service crashes, the other goes on'
for attack in pixels gigapixels vertices geometry jump regions state bell textures; do
  as mallory timeout -s KILL 4 neighbours --socket /run/pica/mallory/0 $attack & attacker=$!
  sleep 1; draw alice "beside $attack"; wait $attacker; draw alice "after $attack"
  same "$attack: what alice has" "$(held)" "$before"
  pid=$(main picad@mallory.service); [ "$pid" -gt 1 ] && kill -KILL $pid
  another picad@mallory.service $pid; draw mallory "after $attack"
done
same restarts "$(systemctl show -P NRestarts picad@alice.service)" 0
echo "picture: users: nine attacks, the service of mallory was started again $(systemctl show -P NRestarts picad@mallory.service) times"
echo $rc >/rc
"""
    people = "printf 'alice:x:1000:1000::/:/bin/sh\\nmallory:x:1001:1001::/:/bin/sh\\n' >>etc/passwd\n" \
        "printf 'alice:x:1000:\\nmallory:x:1001:\\n' >>etc/group"
    options, script = guest(folder, check.replace('@HASHES@', hashes), 'picad@alice.socket picad@mallory.socket', 560, people)
    return [*options, '--mem', '4096',  # a quarter of it is for a user
            '--exe', f'{cases.build}/service/picad:/usr/bin/picad', '--exe', f'{cases.build}/tests/hostile/neighbours',
            '--add', f'{folder}/vm.conf:/etc/systemd/system/picad@.service.d/vm.conf'], script


POLKIT = 'org.freedesktop.PolicyKit1.service'


def documented():
    """The drop-in for logind, as the unit's comment has it."""
    text = (UNITS / 'picad-kiosk@.service.in').read_text()
    lines = re.search(r'by systemctl edit picad-kiosk@NAME:\n#\n((?:#(?:     .*)?\n)+)', text)[1].splitlines()
    return '\n'.join(line[6:] for line in lines) + '\n'


def security_modules(files):
    """The modules that files of PAM name, as far as they are here."""
    names = {name for file in files for name in re.findall(r'pam_\w+\.so', file.read_text())}
    return sorted(path for name in names for path in pathlib.Path('/lib').glob(f'*-linux-gnu/security/{name}'))


def login_files():
    """What a session needs: the bus, logind, polkit, udev's tag of cards, PAM, and the manager of a user."""
    lib, share = '/lib/systemd', '/usr/share'
    programs = ['/usr/bin/dbus-daemon', '/usr/bin/loginctl', '/usr/bin/udevadm', '/usr/lib/polkit-1/polkitd', f'{lib}/systemd',
                *(f'{lib}/systemd-{name}' for name in ('logind', 'udevd', 'user-runtime-dir', 'user-sessions'))]
    units = ['dbus.service', 'dbus.socket', 'polkit.service', 'systemd-logind.service', 'systemd-udevd-control.socket',
             'systemd-udevd-kernel.socket', 'systemd-udevd.service', 'systemd-user-sessions.service', 'user-runtime-dir@.service',
             'user.slice', 'user@.service']
    pam = [pathlib.Path(f'/etc/pam.d/{name}') for name in (
        'common-account', 'common-auth', 'common-password', 'common-session', 'common-session-noninteractive', 'login')]
    pam.append(pathlib.Path('/usr/lib/pam.d/systemd-user'))
    files = [*pam, *(f'{lib}/system/{name}' for name in units), '/lib/udev/rules.d/71-seat.rules',
             f'{share}/dbus-1/system.conf', f'{share}/dbus-1/system-services/org.freedesktop.login1.service',
             *(f'{share}/dbus-1/system.d/org.freedesktop.{name}.conf' for name in ('PolicyKit1', 'login1', 'systemd1')),
             f'{share}/polkit-1/actions/org.freedesktop.login1.policy',
             *(f'/etc/security/{name}.conf' for name in ('group', 'limits', 'pam_env')),
             *(target for target in pathlib.Path('/usr/lib/systemd/user').glob('*.target') if not target.is_symlink())]
    options = ['--add', f'{share}/dbus-1/system-services/{POLKIT}:{share}/{POLKIT}']  # not where the bus finds it
    for program in [*programs, *security_modules(pam)]:
        options += ['--exe', f'{program}:{program}']
    for file in files:
        options += ['--add', f'{file}:{file}']
    return options


PEOPLE = r"""
cat >>etc/passwd <<-.
	messagebus:x:101:101::/:/bin/false
	polkitd:x:102:102::/:/bin/false
	kiosk:x:1000:1000::/home/kiosk:/bin/sh
.
printf 'messagebus:x:101:\npolkitd:x:102:\nkiosk:x:1000:\ntty:x:5:\n' >>etc/group; mkdir home/kiosk; chown 1000:1000 home/kiosk
printf 'root:*:19000::::::\nmessagebus:*:19000::::::\nkiosk:*:19000::::::\n' >etc/shadow; mkdir etc/default
touch etc/environment etc/default/locale etc/login.defs
ln -s /run var/run; mkdir -p etc/polkit-1/rules.d usr/share/polkit-1/rules.d
ln -s systemd-logind.service lib/systemd/system/dbus-org.freedesktop.login1.service
"""


def logind(cases, pictured, other):
    """A kiosk of a user who may not open the card: logind gives it, and the terminal that the unit's comment says."""
    folder = cases.work / 'logind'
    check = r"""
kiosk=picad-kiosk@hall.service; log_lines=0; >/tmp/picad.log
front() { cat /sys/class/tty/tty0/active; }
session() { loginctl show-seat seat0 -P ActiveSession; }
new_lines() { tail -n +$((log_lines + 1)) /tmp/picad.log; }
step() { read -r up rest </proc/uptime; echo "picture: $* ($up s)"; new_lines; log_lines=$(wc -l </tmp/picad.log); }
configure() { printf '[picad]\nkiosk = /still.pica\nseat = logind\nsandbox = on\nbackground = %s\n' $2 >/etc/pica/kiosk/$1.conf; }
# await WHAT COMMAND...: until it succeeds, 60 s at most
await() { what=$1; shift; n=0; until "$@"; do n=$((n + 1)); [ $n -lt 600 ] || { bad "$what"; return; }; sleep 0.1; done; }
# other: something else than $taken is shown, which stays in $a
other() { a=$(ctl SHOT other 0); case "$a" in "OK $taken "*) return 1;; "OK "*) return 0;; esac; return 1; }
gone() { taken=@PICTURE@; other; }
says() { new_lines | grep -q "event=$1"; }
away() { timeout 60 chvt 2 || bad "$1: chvt 2"; await "$1: no display_away" says display_away; }
home() { timeout 60 chvt 7 || bad "$1: chvt 7"; photograph "$1-back" @PICTURE@; }
# there NAME: it is shown, and not while another terminal is
there() { photograph "$1" @PICTURE@; same "$1: terminal" "$(front)" tty7; away "$1"; await "$1: still shown" gone; home "$1"; step "$1"; }
recolor() { configure hall $2; systemctl reload $kiosk || bad "$1: reload"; photograph "$1" $3; }
logind_runs() { loginctl list-sessions >/dev/null || bad "$1: no logind"; }
logind_dies() { kill -9 $(main systemd-logind.service); logind_runs "$1"; }

systemctl start systemd-udevd.service systemd-logind.service systemd-user-sessions.service || bad logind
udevadm trigger --action=add --subsystem-match=drm; udevadm settle
same seat "$(loginctl show-seat seat0 -P CanGraphical)" yes
same card "$(stat -c '%a %U' /dev/dri/card0)" '600 root'; same begin "$(front)" tty1
configure hall 000000; configure two 204060
systemctl start $kiosk && bad 'it starts without polkit'; systemctl stop $kiosk
grep -q 'name=logind error="Permission denied".*polkit has to run' /tmp/picad.log || bad 'no word of polkit'
step 'without polkit it says so'

mv /usr/share/@POLKIT@ /usr/share/dbus-1/system-services; systemctl start polkit.service || bad polkit
systemctl start $kiosk || bad start
pid=$(main $kiosk); there start; photograph start @PICTURE@
same user "$(field $pid Uid)" '1000 1000 1000 1000'
same privileges "$(field $pid NoNewPrivs) $(field $pid Seccomp) $(field $pid CapEff)" '1 2 0000000000000000'
grep -q 'event=ready.* uid=1000 filter=on folders=on' /tmp/picad.log || bad 'no sandbox'
recolor reload 204060 @OTHER@; recolor reload-back 000000 @PICTURE@; there reload; same reload "$(main $kiosk)" $pid

kill -9 $pid; another $kiosk $pid; there killed
pid=$(main $kiosk); old=$(session); loginctl terminate-session $old || bad terminate; another $kiosk $pid; there session-terminated
[ "$(session)" != $old ] || bad 'no other session'

# Behind another graphical session, which lets go of the terminal in its own time.
systemctl start picad-kiosk@two.service || bad two
for i in 1 2 3; do
  photograph two-$i @OTHER@; same "two $i: terminal" "$(front)" tty8; home two-$i; systemctl restart picad-kiosk@two.service || bad two
done
photograph two @OTHER@; systemctl stop picad-kiosk@two.service
taken=@OTHER@; await 'two: still shown' other; await 'two: another picture is shown' gone; home two-stopped; there two
# Four starts; on a machine that is slow its patience may end before the other lets go.
[ "$(grep -c display_seat_lost /tmp/two.log)" -lt 4 ] || { bad 'two waited for its seat'; cat /tmp/two.log; }

logind_dies front; photograph logind-killed @PICTURE@; away logind-killed; home logind-killed
await 'logind-killed: no display_back' says display_back
recolor logind-killed 204060 @OTHER@; recolor logind-killed-back 000000 @PICTURE@; step logind-killed
away logind-killed-away; logind_dies away; home logind-killed-away; step logind-killed-away
systemctl restart systemd-logind.service; await 'logind-restarted: not noticed' says display_seat_lost; there logind-restarted
away logind-restarted-away; systemctl restart systemd-logind.service; logind_runs away
home logind-restarted-away; says display_seat_lost || bad 'not noticed'; there logind-restarted-away
systemctl restart dbus.service; await 'bus-restarted: not noticed' says display_seat_lost; there bus-restarted
same restarts "$(systemctl show -P NRestarts $kiosk)" 2

systemctl stop $kiosk; same result "$(systemctl show -P Result $kiosk)" success
await 'stopped: still shown' gone; taken=${a#OK }; taken=${taken%% *}; echo text >/dev/tty7; await 'no text console' other
for i in 3 1; do timeout 60 chvt $i; same unlocked "$(front)" tty$i; done
step stopped
echo $rc >/rc
"""
    check = check.replace('@PICTURE@', pictured).replace('@OTHER@', other).replace('@POLKIT@', POLKIT)
    options, script = guest(folder, check, 'dbus.socket', 560, PEOPLE)
    (folder / 'logind.conf').write_text(documented())
    (folder / 'two.conf').write_text('[Service]\nTTYPath=/dev/tty8\nStandardError=append:/tmp/two.log\n')
    drop_in = '/etc/systemd/system/picad-kiosk@'
    return [*options, *login_files(), '--exe', f'{cases.build}/service/picad:/usr/bin/picad',
            '--add', f'{folder}/logind.conf:{drop_in}.service.d/50-logind.conf',
            '--add', f'{folder}/vm.conf:{drop_in}.service.d/80-vm.conf', '--add', f'{folder}/two.conf:{drop_in}two.service.d/90-two.conf'], script
