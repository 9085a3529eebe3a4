/**
 * Every keyboard shortcut, the single source for the shortcut sheet, the palette and the hints on buttons.
 */

export interface Shortcut {
  /** As on the keyboard: `J`, `Shift X` (together), `G then I` (one after the other), `Ctrl K`. */
  keys: string;
  what: string;
}

export const SHORTCUT_GROUPS: { title: string; shortcuts: Shortcut[] }[] = [
  {
    title: "Inbox",
    shortcuts: [
      { keys: "J", what: "Next request" },
      { keys: "K", what: "Previous request" },
      { keys: "Enter", what: "Open request" },
      { keys: "X", what: "Select. A, R, D and C then act on the selected" },
      { keys: "Shift X", what: "Select up to here" },
      { keys: "/", what: "Search" },
      { keys: "Esc", what: "Back to the list" },
    ],
  },
  {
    title: "Deciding",
    shortcuts: [
      { keys: "A", what: "Approve, or go to the first empty field" },
      { keys: "R", what: "Reject" },
      { keys: "1", what: "First choice of a question (2 to 4: the others)" },
      { keys: "D", what: "Decline to answer, with a reason" },
      { keys: "E", what: "Approve a call with changes" },
      { keys: "W", what: "Approve calls like this for a while" },
      { keys: "V", what: "Ask the agent to revise" },
      { keys: "S", what: "Skip to the next request" },
      { keys: "C", what: "Claim or release" },
      { keys: "B", what: "Snooze for yourself" },
      { keys: "M", what: "Write a comment" },
      { keys: "Z", what: "Undo before it’s sent" },
    ],
  },
  {
    title: "Anywhere",
    shortcuts: [
      { keys: "Ctrl K", what: "Search and commands" },
      { keys: "G then I", what: "Go to the inbox" },
      { keys: "G then T", what: "Go to tasks" },
      { keys: "G then S", what: "Go to servers" },
      { keys: "G then O", what: "Go to the overview" },
      { keys: "G then A", what: "Go to the activity (admins)" },
      { keys: "?", what: "This sheet" },
    ],
  },
];

/**
 * Whether the shortcut consists of character keys alone, which the single-key switch disables (WCAG 2.1.4).
 */
export function isSingleKey(keys: string): boolean {
  return keys.split(/ then | /).every((key) => key.length === 1 || key === "Shift");
}
