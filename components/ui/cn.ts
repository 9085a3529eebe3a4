import { clsx } from "clsx";

/**
 * Joins class names. Of two conflicting classes the later one in the stylesheet wins: classes that callers
 * may override carry `base:` (see globals.css).
 */
export const cn = clsx;
