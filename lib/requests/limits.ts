/** Limits without zod, so that the inbox can import them. */

/** The most characters of a note beside an assigned request. */
export const NOTE_CHARACTERS = 500;
/** The most characters of a message in a list, and of an answer's texts together: either may have hundreds of thousands. */
export const MESSAGE_IN_LISTS = 1_000;
/** The most ids in the address of one list, so that it fits through any proxy. */
export const IDS_AT_ONCE = 50;

/** The most characters of a comment. */
export const COMMENT_CHARACTERS = 4_000;

/** The most comments of a request, with those that were deleted. */
export const MOST_COMMENTS = 200;

/** The most people that one comment mentions. */
export const MOST_MENTIONS = 20;

/** The most voters that a request names, and where counting them ends. */
export const VOTERS_NAMED = 3;
export const VOTERS_COUNTED = 100;
