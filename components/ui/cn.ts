import { clsx } from "clsx";

/**
 * Joins class names. Of two that set the same thing the one that stands later in the stylesheet wins: what a caller
 * may set differently carries `base:` (see globals.css).
 */
export const cn = clsx;
