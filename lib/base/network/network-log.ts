import { log } from "../log.ts";
import type { NameFailure } from "./network.ts";

/** Between two lines on the same name, which may be asked for many times a second. */
const AGAIN_AFTER_MS = 60_000;
const MOST_NAMES = 1_000;
const told = new Map<string, number>();

/** Tells the operator, and nobody else, why a name was not connected to. */
export function logNameFailure({ host, port, why }: NameFailure): void {
  const key = `${why} ${host}:${port}`;
  const now = performance.now();
  if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER_MS) return;
  if (told.size >= MOST_NAMES) told.clear();
  told.set(key, now);
  log.info({ host, port, why }, "a name was not connected to");
}
