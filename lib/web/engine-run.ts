import { timingSafeEqual } from "node:crypto";
import { env } from "../base/env.ts";
import { AppError, notFound } from "../base/errors.ts";
import { hashSecret } from "../base/ids.ts";
import { onePerProcess } from "../base/process/process-wide.ts";

const run = onePerProcess("engine run", () => ({ isUnderWay: false }));

/** Runs `work` for a caller that knows CRON_SECRET, one run per process at a time. */
export async function runEngineOnce<T>(authorization: string | null, work: () => Promise<T>): Promise<T> {
  const { cronSecret } = env();
  if (!cronSecret) throw notFound("address");
  // Hashes have one length, whatever was sent.
  const isIt = timingSafeEqual(hashSecret(authorization ?? ""), hashSecret(`Bearer ${cronSecret}`));
  if (!isIt) throw new AppError("unauthenticated", "Send CRON_SECRET as a Bearer token.");
  if (run().isUnderWay) throw new AppError("engine_busy", "A run is under way in this process.");
  run().isUnderWay = true;
  try {
    return await work();
  } finally {
    run().isUnderWay = false;
  }
}
