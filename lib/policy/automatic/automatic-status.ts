/** Decisions in shadow that people made alike, before a rule may be live. */
export const FEWEST_SHADOWED = 20;
