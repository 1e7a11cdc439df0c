"""A PostgreSQL server of our own: a private copy of the installed one with the extension in it, on a free port.

The installed server is not touched. The server finds its libraries relative to its program, so a tree with a copy of
the program, links to the rest and our files beside them is an installation of its own.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent


class Failed(Exception):
    """What psql said when a statement failed."""


def pg_config(what):
    program = os.environ.get("SOTTO_PG_CONFIG", "pg_config")
    return subprocess.run([program, "--" + what], check=True, capture_output=True, text=True).stdout.strip()


def unprivileged():
    """The user the server runs as: it refuses to be root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    raise SystemExit("no unprivileged user to run the server as")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Installation:
    """The tree: bin copied, lib and share linked, our files added."""

    def __init__(self, root, library):
        self.root = Path(root)
        places = {name: pg_config(name) for name in ("bindir", "pkglibdir", "sharedir")}
        self.bin = self.root / places["bindir"].lstrip("/")
        lib = self.root / places["pkglibdir"].lstrip("/")
        share = self.root / places["sharedir"].lstrip("/")
        self.bin.mkdir(parents=True)
        for program in ("postgres", "initdb", "pg_ctl", "pg_dump", "pg_basebackup", "psql"):
            shutil.copy2(Path(places["bindir"]) / program, self.bin / program)
        self.libraries = self._libraries(Path(places["bindir"]) / "initdb")
        self._link(Path(places["pkglibdir"]), lib, skip=("sotto.so",))
        self._link(Path(places["sharedir"]), share, skip=("extension",))
        extension = share / "extension"
        self._link(Path(places["sharedir"]) / "extension", extension)
        shutil.copy2(library, lib / "sotto.so")
        shutil.copy2(SOURCE / "sotto.control", extension)
        for script in (SOURCE / "sql").glob("*.sql"):
            shutil.copy2(script, extension)

    @staticmethod
    def _libraries(program):
        """Folders of libraries that a program finds by its own place only, as in a wheel: a copy of it is told of them."""
        done = subprocess.run(["ldd", program], check=True, capture_output=True, text=True)
        found = {Path(word).parent for word in done.stdout.split() if word.startswith("/")}
        return [str(folder) for folder in sorted(found) if not str(folder).startswith(("/lib", "/usr/lib"))]

    @staticmethod
    def _link(source, target, skip=()):
        target.mkdir(parents=True, exist_ok=True)
        for item in source.iterdir():
            if item.name in skip or (target / item.name).exists():
                continue
            (target / item.name).symlink_to(item.resolve())


class Server:
    """One server in a temporary folder; `with Server(installation) as server:` starts and stops it."""

    def __init__(self, installation, settings=None, preload=None):
        self.installation = installation
        self.settings = settings or {}
        self.user = unprivileged()
        self.home = Path(tempfile.mkdtemp(prefix="sotto-pg-"))
        self.data = self.home / "data"
        self.anchors = self.home / "anchors"
        self.sockets = self.home / "s"
        for folder in (self.anchors, self.sockets):
            folder.mkdir()
        self.log = self.home / "log"
        self.port = free_port()
        self.preload = preload
        if self.user:
            for path in (self.home, self.anchors, self.sockets):
                os.chown(path, self.user.pw_uid, self.user.pw_gid)

    def run(self, *command, check=True, **more):
        if self.user:
            more.update(user=self.user.pw_uid, group=self.user.pw_gid, extra_groups=[])
        paths = [*self.installation.libraries, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        if paths:
            more["environment"] = {"LD_LIBRARY_PATH": ":".join(paths), **more.get("environment", {})}
        environment = {**os.environ, "LC_ALL": "C", "HOME": str(self.home), **more.pop("environment", {})}
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=str(self.home),
                              env=environment, **more)
        if check and done.returncode != 0:
            raise Failed(done.stderr or done.stdout)
        return done

    def create(self):
        """A copy of one fresh cluster: making it is dear. Each copy is a server of its own all the same."""
        fresh = self.installation.root / "fresh"
        if not fresh.exists():
            made = self.home / "fresh"
            self.run(self.installation.bin / "initdb", "-D", made, "-U", "admin", "-A", "trust", "-E", "UTF8", "--no-sync",
                     "--locale=C")
            shutil.move(made, fresh)
        shutil.copytree(fresh, self.data, symlinks=True)
        self.own(self.data)
        self.configure()

    def own(self, folder):
        if self.user:
            subprocess.run(["chown", "-R", f"{self.user.pw_uid}:{self.user.pw_gid}", str(folder)], check=True)

    def configure(self):
        given = {"port": self.port, "listen_addresses": "'127.0.0.1'", "unix_socket_directories": f"'{self.sockets}'",
                 "sotto.anchor_directory": f"'{self.anchors}'", "shared_buffers": "'64MB'",
                 "max_worker_processes": 16, "log_min_messages": "warning", "autovacuum": "off", **self.settings}
        with open(self.data / "postgresql.conf", "a") as out:
            for name, value in given.items():
                out.write(f"{name} = {value}\n")

    def start(self):
        environment = {}
        if self.preload:  # the server alone: not what makes or asks it
            environment = {"LD_PRELOAD": self.preload,
                           "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=0:verify_asan_link_order=0:"
                                           "use_sigaltstack=0:allocator_may_return_null=1"}
        # Standard error would keep a pipe of ours open.
        self.run(self.installation.bin / "pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "120", "start", environment=environment)

    def stop(self, mode="fast"):
        self.run(self.installation.bin / "pg_ctl", "-D", self.data, "-w", "-m", mode, "stop", check=False)

    def postmaster(self):
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill(self):
        """kill -9 of the whole server."""
        pid = self.postmaster()
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout.split()
        for each in [pid] + [int(child) for child in children]:
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if not any(Path(f"/proc/{each}").exists() for each in [pid] + [int(c) for c in children]):
                break
            time.sleep(0.05)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def __enter__(self):
        self.create()
        self.start()
        return self

    def __exit__(self, *unused):
        self.stop("immediate")
        shutil.rmtree(self.home, ignore_errors=True)

    def command(self, user, database):
        return [pg_config("bindir") + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=verbose",
                "-h", "127.0.0.1", "-p", str(self.port), "-U", user, "-d", database]

    def sql(self, text, user="admin", database="postgres"):
        """The output of statements, one after the other in a session; Failed if one fails."""
        done = subprocess.run(self.command(user, database), input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(done.stderr)
        return done.stdout.strip()

    def start_sql(self, text, user="admin", database="postgres"):
        process = subprocess.Popen(self.command(user, database), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        process.stdin.write(text)
        process.stdin.close()
        process.stdin = None
        return process

    def refusal(self, text, **more):
        """What a statement that must fail says."""
        try:
            output = self.sql(text, **more)
        except Failed as failed:
            return str(failed)
        raise AssertionError(f"was not refused: {text}\n{output}")
