/** An engine that holds all leases is killed with -9 while another one without leases stands by. */
import type { Figure } from "../figure.ts";
import { batches, newest, tookUntil, watched } from "../fleet/leases.ts";
import { withStage } from "../fleet/with-stage.ts";

const PORTS = 50;

export async function run(): Promise<Figure[]> {
  return [...(await takeover(200)), ...(await takeover(2_000))];
}

/** `connections`: leases of the killed engine, each with a working task. */
function takeover(connections: number): Promise<Figure[]> {
  return withStage(PORTS, async (stage, servers) => {
    const ola = await stage.organization("acme");
    const urls = Array.from({ length: connections }, (_, at) => servers.urls[at % PORTS] ?? "");
    const places = await stage.places(ola, urls);
    for (const some of batches(places, 500)) await stage.seed(ola, some, "rest", 5_000);
    const first = await stage.engine();
    const ofOne = async (engine: string) =>
      (await watched(stage)).find((one) => one.engine === engine)?.connections ?? 0;
    const killed = await newest(stage);
    const begun = await tookUntil("all are watched", async () => (await ofOne(killed)) === connections);
    await stage.engine();
    const second = await newest(stage);
    await first.kill();
    const held = () => ofOne(second);
    const before = await held();
    const took = await tookUntil("all leases are taken over", async () => (await held()) === connections);
    const of = `${connections.toLocaleString("en")} leases`;
    return [
      { what: `all of ${of} taken by the first engine`, value: begun / 1000, unit: "s" },
      {
        what: `takeover of all leases of a killed engine: ${connections - before} of ${of}`,
        value: took / 1000,
        unit: "s",
        goal: { atMost: 15 },
      },
    ];
  });
}
