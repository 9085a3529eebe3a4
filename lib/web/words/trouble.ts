/** Why Intray cannot be used from this page: in the bar above it, and beside the buttons of a decision. */
export const TROUBLE_WORDS = {
  offline: "You’re offline. Decisions are paused.",
  signed_out: "You were signed out. Sign in again to decide.",
  unreachable: "Intray can’t be reached. Decisions are paused.",
  database: "Intray’s database is unreachable. Decisions are paused; nothing is lost.",
};

/** The `digest` of a page's error when the database is down; Next tells pages nothing else about an error. */
export const DATABASE_AWAY = "database-away";
