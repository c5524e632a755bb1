// Preloaded into wrangler. When the process that started wrangler ends for any reason, kills the whole process group.
// Must not keep the event loop alive.

process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
