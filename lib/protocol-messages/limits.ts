/** The newest messages of a task that are kept. */
export const MESSAGES_KEPT = 200;
