"""Runs Python programs, each in a process of its own, which starts with `requests` imported: an import takes longer than
most programs. Reads one JSON object per line: text, folder and environment variables. Prints for each one the exit code
and both outputs, as JSON.
"""
import json
import os
import sys
import tempfile

import requests  # noqa: F401


def next_program():
    """Starts a process for each line. Returns in that process, with the text of the program."""
    for line in sys.stdin:
        given = json.loads(line)
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            child = os.fork()
            if child == 0:
                nothing = os.open(os.devnull, os.O_RDONLY)
                for target, source in enumerate([nothing, stdout.fileno(), stderr.fileno()]):
                    os.dup2(source, target)
                os.chdir(given["folder"])
                os.environ.update(given["variables"])
                sys.argv = ["-c"]
                return given["text"]
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            outputs = {}
            for name, file in {"stdout": stdout, "stderr": stderr}.items():
                file.seek(0)
                outputs[name] = file.read().decode()
        print(json.dumps({"code": code, **outputs}), flush=True)
    sys.exit()


exec(compile(next_program(), "<string>", "exec"), {"__name__": "__main__"})
