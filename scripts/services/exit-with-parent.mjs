// Preloaded into wrangler. Ends the whole process group when the process that started wrangler ends for any reason.
// Must not keep the event loop alive.

process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
