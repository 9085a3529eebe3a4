/** In place of lib/members/password-cost.ts (vitest.config.ts): the tests sign hundreds of people in. */
export const LOG2_N = 8;
export const R = 8;
export const P = 3;
