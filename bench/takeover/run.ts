/** An engine that holds all leases is killed with -9 while another one stands by that has none. */
import type { Figure } from "../figure.ts";
import { batches, newest, tookUntil, watched } from "../fleet/leases.ts";
import { withStage } from "../fleet/with-stage.ts";

const PORTS = 50;

export async function run(): Promise<Figure[]> {
  return [...(await takeover(200)), ...(await takeover(2_000))];
}

/** `connections`: leases of the killed engine, with a working task each. */
function takeover(connections: number): Promise<Figure[]> {
  return withStage(PORTS, async (stage, servers) => {
    const ola = await stage.organization("acme");
    const urls = Array.from({ length: connections }, (_, at) => servers.urls[at % PORTS] ?? "");
    const places = await stage.places(ola, urls);
    for (const some of batches(places, 200)) await stage.start(ola, some, "work", 5_000);
    const first = await stage.engine();
    const begun = await tookUntil("all tasks run", async () => (await servers.seen()).length >= connections);
    await stage.engine();
    const second = await newest(stage);
    await first.kill();
    const held = async () => (await watched(stage)).find(({ engine }) => engine === second)?.connections ?? 0;
    const before = await held();
    const took = await tookUntil("all leases are taken over", async () => (await held()) === connections);
    const calls = (await servers.seen()).length;
    const of = `${connections.toLocaleString("en")} leases`;
    return [
      { what: `first start of a task on each of ${of}`, value: begun / 1000, unit: "s" },
      {
        what: `takeover of all leases of a killed engine: ${connections - before} of ${of}`,
        value: took / 1000,
        unit: "s",
        goal: { atMost: 15 },
      },
      { what: `tools called twice (${of})`, value: calls - connections, unit: "calls", goal: { atMost: 0 } },
    ];
  });
}
