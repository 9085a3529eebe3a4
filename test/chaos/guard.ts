/**
 * Ends the leftovers of a run that is killed itself: Postgres runs in its own session, and a frozen engine
 * notices nothing. parts.ts starts the guard with a channel; when that closes, every process still on the
 * list is killed.
 */
const watched = new Set<number>();

process.on("message", ({ watch, forget }: { watch?: number; forget?: number }) => {
  if (watch !== undefined) watched.add(watch);
  if (forget !== undefined) watched.delete(forget);
});
process.on("disconnect", () => {
  for (const pid of watched) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The process has ended already.
    }
  }
  process.exit(0);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
