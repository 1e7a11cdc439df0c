"""Results as small files, one a job, named by the digest of everything the result depends on."""
import hashlib
import json
import os
import tempfile


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def file_digest(path):
    state = hashlib.sha256()
    with open(path, "rb") as file:
        for part in iter(lambda: file.read(1 << 20), b""):
            state.update(part)
    return state.hexdigest()


def write_whole(path, text):
    """Complete or not there at all: a reader never sees half a file, also after kill -9 or a full disk."""
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=folder, prefix=".part-")
    try:
        with os.fdopen(handle, "w" if isinstance(text, str) else "wb") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


class Cache:
    def __init__(self, folder):
        self.folder = folder

    def path(self, key):
        return os.path.join(self.folder, key[:2], key + ".json")

    def get(self, key):
        """The result, or None. What cannot be read counts as not there: it is computed again."""
        try:
            with open(self.path(key), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def put(self, key, result):
        write_whole(self.path(key), json.dumps(result, sort_keys=True))
