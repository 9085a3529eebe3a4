/** A world with an engine, a neighbour, and a task at a hostile server of its own for each test. */
import type { TestContext } from "vitest";
import type { Era } from "../lib/mcp/peer.ts";
import { type Act, startHostileServer } from "./hostile-server.ts";
import { lookInto } from "./look.ts";
import { moveIn } from "./neighbour.ts";
import { tool } from "./tool.ts";
import { createWorld, until } from "./world.ts";

/** Beyond the engine's own waits: other processes may eat the CPU. */
export const PATIENCE_MS = 180_000;
const WORK = tool("work", { taskSupport: "required" });

export interface LogLine {
  level: number;
  msg: string;
  taskId?: string;
  serverId?: string;
}

export type HostileScene = Awaited<ReturnType<typeof setHostileScene>>;

/** Ended by `close()`. */
export async function setHostileScene() {
  const world = await createWorld(["127.0.0.1"]);
  const neighbour = await moveIn(world, PATIENCE_MS);
  const log: LogLine[] = [];
  await world.startEngine((line) => log.push(JSON.parse(line)));
  const look = lookInto(() => world, PATIENCE_MS);
  const { organizationId } = world;

  return {
    world,
    look,
    log,
    /** Another organization's task, started now, is done. */
    neighbourWorks: () => neighbour.works(),
    /** A task that works at a server which acts like this from then on, or from the start of it. */
    async task(
      { onTestFinished }: Pick<TestContext, "onTestFinished">,
      era: Era,
      act: Act,
      { fromTheStart = false } = {},
    ) {
      const server = await startHostileServer(fromTheStart ? act : null);
      onTestFinished(() => server.close());
      const { serverId, connectionId } = await world.addServer(server.url, era);
      const id = await world.startTask({ serverId, connectionId }, {}, WORK);
      await look.inState(id, "working");
      server.act = act;
      const row = () =>
        world.within((tx) => tx.server.findFirstOrThrow({ where: { organizationId, id: serverId } }));
      return {
        id,
        server,
        serverId,
        row,
        isAtFault: () =>
          until("the server is at fault", async () => (await row()).healthState === "failing", PATIENCE_MS),
        /** The server comes to its senses, and the task to its end. */
        async ends() {
          server.act = null;
          server.finish();
          return look.inState(id, "completed");
        },
        messages: () =>
          world.within((tx) => tx.protocolMessage.findMany({ where: { organizationId, taskId: id } })),
        events: () => world.within((tx) => tx.event.findMany({ where: { organizationId, taskId: id } })),
      };
    },
    async close() {
      await neighbour.leave();
      await world.close();
    },
  };
}
