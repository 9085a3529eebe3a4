/** Beside the results of a search where what tasks are about is sealed. */
export const NOT_SEARCHED = "What tasks say is sealed: search finds tools and servers.";
