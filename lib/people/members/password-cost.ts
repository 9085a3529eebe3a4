/** The scrypt parameters of one hash: 32 MiB and three rounds, one of OWASP's recommended settings. */
export const LOG2_N = 15;
export const R = 8;
export const P = 3;
