/** The `digest` of a page's error when the database is down; Next tells pages nothing else about an error. */
export const DATABASE_AWAY = "database-away";
