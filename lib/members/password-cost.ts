/** What one hash costs, by scrypt's parameters: 32 MiB and three rounds, one of the settings that OWASP's page names. */
export const LOG2_N = 15;
export const R = 8;
export const P = 3;
