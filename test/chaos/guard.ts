/**
 * Ends what a run leaves behind when it is killed itself: Postgres is in a session of its own, and a frozen engine
 * notices nothing. Started by parts.ts with a channel; when that closes, what is still on the list is killed.
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
      // It has ended already.
    }
  }
  process.exit(0);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
