/** Messages kept per task; older ones are deleted. */
export const MESSAGES_KEPT = 200;
