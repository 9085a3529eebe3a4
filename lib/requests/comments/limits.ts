/** Without zod, so that the inbox can import them. */
export const COMMENT_CHARACTERS = 4_000;
/** Of one request, with those that were deleted. */
export const MOST_COMMENTS = 200;
/** Of one comment. */
export const MOST_MENTIONS = 20;
