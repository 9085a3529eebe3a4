/** Eyes for tests: what the rows of a world's organization say. Those that wait fail loudly when it never happens. */
import { until, type World } from "./world.ts";

/** `world` is a function, for most tests make theirs in `beforeAll`. `patienceMs`: how long the waits wait. */
export function lookInto(world: () => World, patienceMs?: number) {
  const mine = () => ({ organizationId: world().organizationId });
  const where = (id: string) => ({ where: { ...mine(), id } });
  const task = (id: string) => world().within((tx) => tx.task.findFirstOrThrow(where(id)));
  /** Oldest first. */
  const requestsOf = (taskId: string) =>
    world().within((tx) =>
      tx.inputRequest.findMany({ where: { ...mine(), taskId }, orderBy: { createdAt: "asc" } }),
    );
  return {
    task,
    requestsOf,
    request: (id: string) => world().within((tx) => tx.inputRequest.findFirstOrThrow(where(id))),
    /** The task's open request; with a message, the one that says just that. */
    openRequest: (taskId: string, message?: string) =>
      until(
        message === undefined ? "a question opens" : `"${message}" is open`,
        async () =>
          (await requestsOf(taskId)).find(
            (row) => row.state === "open" && (message === undefined || row.message === message),
          ),
        patienceMs,
      ),
    deliveryOf: (inputRequestId: string) =>
      world().within((tx) => tx.delivery.findFirstOrThrow({ where: { ...mine(), inputRequestId } })),
    /** For tasks that ask once. */
    deliveryOfTask: (taskId: string) =>
      world().within((tx) => tx.delivery.findFirstOrThrow({ where: { ...mine(), taskId } })),
    asksOf: (inputRequestId: string) =>
      world().within((tx) => tx.ask.count({ where: { ...mine(), inputRequestId } })),
    events: () => world().within((tx) => tx.event.count({ where: mine() })),
    epoch: (connectionId: string) =>
      world().within(async (tx) => (await tx.connection.findFirstOrThrow(where(connectionId))).epoch),
    health: (serverId: string) =>
      world().within(async (tx) => (await tx.server.findFirstOrThrow(where(serverId))).healthState),
    inState: (id: string, state: string, patience = patienceMs) =>
      until(
        `the task is ${state}`,
        async () => {
          const row = await task(id);
          return row.state === state && row;
        },
        patience,
      ),
  };
}
