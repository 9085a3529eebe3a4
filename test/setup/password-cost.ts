/** In place of lib/people/members/password-cost.ts (vitest.config.ts): the tests sign in hundreds of people. */
export const LOG2_N = 8;
export const R = 8;
export const P = 3;
