#!/usr/bin/env python3
"""The examples of docs/batch.md for Slurm, with a private Slurm: test_slurm.py PROGRAM CAPTURES"""
import getpass
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import test_batch  # noqa: E402: it reads the same arguments
from test_batch import RED, cli, screen  # noqa: E402

PROGRAMS = 'munged', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scancel', 'scontrol', 'sinfo'
SKIP = 77

CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_min_interval=100000
MpiDefault=none
MailProg=/bin/true
SlurmctldTimeout=300
MessageTimeout=20
ReturnToService=2
KillWait=2
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def find(program):
    return shutil.which(program, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin')


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Slurm(test_batch.Case):
    def setUp(self):
        super().setUp()
        self.slurm = self.dir / 'slurm'
        self.slurm.mkdir()
        (self.slurm / 'munge.key').write_bytes(os.urandom(128))
        os.chmod(self.slurm / 'munge.key', 0o600)
        config = CONFIG.format(ports=free_ports(2), user=getpass.getuser(), folder=self.slurm,
                               host=socket.gethostname().split('.')[0])
        (self.slurm / 'slurm.conf').write_text(config)
        self.env = {**os.environ, 'SLURM_CONF': str(self.slurm / 'slurm.conf'),
                    'PATH': f'{self.dir / "bin"}:{os.environ["PATH"]}:/usr/sbin:/sbin'}
        (self.dir / 'bin').mkdir()
        os.symlink(cli.PICA, self.dir / 'bin/pica')
        self.daemon('munged', '--foreground', '--force', f'--key-file={self.slurm}/munge.key', '--num-threads=2',
                    f'--socket={self.slurm}/munge.socket', f'--pid-file={self.slurm}/munged.pid',
                    f'--log-file={self.slurm}/munged.log', f'--seed-file={self.slurm}/munged.seed')
        self.wait_for((self.slurm / 'munge.socket').exists)
        self.daemon('slurmctld', '-D', '-c')
        self.daemon('slurmd', '-D', '-N', 'node')
        self.wait_for(lambda: 'idle' in self.run_quietly('sinfo', '-h', '-o', '%t'))

    def daemon(self, program, *args):
        log = open(self.slurm / f'{program}.out', 'wb')
        process = subprocess.Popen([find(program), *args], env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        log.close()

        def end():
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.addCleanup(end)

    def tearDown(self):
        # Daemons write into the folder until they end; then it is removed.
        for log in sorted(self.slurm.glob('*.log')) if sys.exc_info()[0] or self.failed() else []:
            print(f'== {log.name}\n{log.read_text(errors="replace")[-3000:]}', file=sys.stderr)
        self.doCleanups()
        super().tearDown()

    def failed(self):
        outcome = getattr(self, '_outcome', None)
        return bool(outcome and not outcome.success)

    def run_quietly(self, *command):
        return subprocess.run(command, env=self.env, cwd=self.dir, capture_output=True, text=True, timeout=60).stdout

    def script(self, name, code=0):
        run = subprocess.run(['bash', '-e', '-c', test_batch.documented(name)], env=self.env, cwd=self.dir, text=True,
                             capture_output=True, timeout=300)
        self.assertEqual(run.returncode, code, f'{run.stdout}\n{run.stderr}\n{self.logs()}')
        return run.stdout + run.stderr

    def logs(self):
        return '\n'.join(f'{p.name}: {p.read_text()}' for p in sorted(self.dir.glob('batch-*.log')))

    def inputs(self):
        captures = self.dir / 'captures'
        captures.mkdir()
        for name in 'cube', 'triangle', 'wall', 'depth', 'logic', 'wrap', 'window', 'lamps':
            shutil.copy(test_batch.BUNDLED / f'{name}.pica', captures)
        (self.dir / 'batch.sh').write_text(test_batch.documented('batch.sh'))

    def test_a_job_array(self):
        self.inputs()
        self.script('slurm')
        self.batch('--verify', '-o', 'single', 'captures/')
        self.assertEqual(self.bytes('out/results.jsonl'), self.bytes('single/results.jsonl'))
        self.assertEqual(set(self.states().values()), {'pass'})
        self.assertEqual(len(list(self.dir.glob('batch-*.log'))), 4)

    def test_a_task_that_is_killed_and_submitted_again(self):
        self.inputs()
        # The largest is in shard 1, and takes some seconds.
        self.capture('captures/slow.ctf', cli.fill(test_batch.VRAM, 0x300000, 1, 2) * 30000 + screen(RED))
        self.batch('-o', 'single', 'captures/')
        self.batch('plan', '-o', 'plan.json', 'captures/')
        job = re.search(r'\d+', self.run_quietly('sbatch', 'batch.sh'))[0]
        tasks = lambda state: self.run_quietly('squeue', '-h', '-r', '-t', state, '-j', job, '-o', '%K').split()
        self.wait_for(lambda: '1' in tasks('R') and list((self.dir / 'out/work').glob('*/*/log.txt')))
        self.run_quietly('scancel', '--signal=KILL', f'{job}_1')
        self.wait_for(lambda: tasks('all') == [] or tasks('PD,R,CG') == [], seconds=120)
        self.batch('merge', '--verify', 'plan.json', '-o', 'out', code=2)
        self.assertIn('captures/slow.ctf: no result', self.err)
        self.assertFalse((self.dir / 'out/results.jsonl').exists())
        self.script('resubmit')
        self.assertEqual(self.bytes('out/results.jsonl'), self.bytes('single/results.jsonl'))


if __name__ == '__main__':
    missing = [program for program in PROGRAMS if not find(program)]
    if missing:
        print(f'skipped: there is no {", ".join(missing)} (packages slurmctld, slurmd, slurm-client, munge)')
        sys.exit(SKIP)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
