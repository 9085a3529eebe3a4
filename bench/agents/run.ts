/**
 * What agents notice of Intray: the endpoint for agents, an engine and Postgres run in processes of their own, as in an
 * installation. `BENCH_AGENTS=calls` runs some sections only: `calls`, `held`, `hooks`, `list`.
 */
import type { Figure } from "../figure.ts";
import { calls } from "./calls.ts";
import { held } from "./held.ts";
import { hooks } from "./hooks.ts";
import { list } from "./list.ts";
import { createScene, type Scene } from "./scene.ts";

const SECTIONS: [name: string, measure: (scene: Scene) => Promise<Figure[]>][] = [
  ["calls", calls],
  ["held", held],
  ["hooks", hooks],
  ["list", list],
];

export async function run(): Promise<Figure[]> {
  const wanted = process.env.BENCH_AGENTS?.split(",");
  const scene = await createScene();
  try {
    const figures: Figure[] = [];
    for (const [name, measure] of SECTIONS)
      if (!wanted || wanted.includes(name)) figures.push(...(await measure(scene)));
    return figures;
  } finally {
    await scene.close();
  }
}
