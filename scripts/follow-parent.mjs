// Preloaded into wrangler: when the process that started it is gone, however it went, its whole process group goes too.
// Must not keep the event loop alive.

process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
