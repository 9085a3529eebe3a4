import { type ClassValue, clsx } from "clsx";
import { twMerge } from "tailwind-merge";

/** Joins class names; the last of two that set the same thing wins. */
export function cn(...values: ClassValue[]): string {
  return twMerge(clsx(values));
}
