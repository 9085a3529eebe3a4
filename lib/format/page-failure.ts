/** The `digest` of the error of a page whose database is away: all that a page is told about what went wrong. */
export const DATABASE_AWAY = "database-away";
