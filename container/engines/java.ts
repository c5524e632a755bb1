// Properties of Debian's JRE that all programs in Java share.

/** Debian's link to the JRE in /usr/lib. An absolute path, because the sandbox has no PATH. */
export const JAVA = "/usr/bin/java";
/** System paths that the JVM reads. */
export const JAVA_FILES = [
  "/usr/lib",
  "/usr/share/java",
  "/lib64",
  "/etc",
  "/proc",
  "/sys/fs/cgroup",
  "/dev/random",
  "/dev/urandom",
  "/dev/null",
];
/** Exit code of Java when memory runs out (-XX:+ExitOnOutOfMemoryError). */
export const MEMORY_EXIT_CODE = 3;
