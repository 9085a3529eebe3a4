/** The most characters of a note beside an assigned request. Without zod, so that the inbox can import it. */
export const NOTE_CHARACTERS = 500;
