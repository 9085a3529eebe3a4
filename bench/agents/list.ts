/** The list of 500 granted tools, and the server's own list of the same. */
import { rawAgent } from "../../test/fixtures/agents/raw-agent.ts";
import { type Figure, quantile } from "../figure.ts";
import type { Scene } from "./scene.ts";

const LISTS = 300;
const WARM_UP = 20;

export async function list(scene: Scene): Promise<Figure[]> {
  const endpoint = await scene.endpoint();
  // The official client's own reading of 500 tools would take as long again.
  const clients = {
    through: rawAgent(endpoint.url, await scene.agent("many")),
    direct: rawAgent(scene.urls.many, ""),
  };
  try {
    const taken = { through: [] as number[], direct: [] as number[] };
    for (let n = -WARM_UP; n < LISTS; n++)
      for (const which of ["through", "direct"] as const) {
        const began = performance.now();
        const { answer } = await clients[which].modern("tools/list", {}, false);
        const ms = performance.now() - began;
        if (answer.result.tools.length < 500) throw new Error(`listed: ${JSON.stringify(answer)}`);
        if (n >= 0) taken[which].push(ms);
      }
    return [0.5, 0.99].map((part) => ({
      what: `a list of 500 tools, p${part * 100}`,
      value: quantile(taken.through, part),
      unit: "ms",
      ...(part === 0.99 && { goal: { atMost: 30 } }),
      beside: { "the server's own": quantile(taken.direct, part) },
    }));
  } finally {
    await endpoint.kill();
  }
}
