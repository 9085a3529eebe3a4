"use client";

import { useSearchParams } from "next/navigation";
import { RANGES, type Range } from "@/lib/statistics/schema.ts";

/** The range in the address; the last day where there is none. */
export function useRange(): Range {
  const wanted = useSearchParams().get("range");
  return RANGES.find((range) => range === wanted) ?? "24h";
}
