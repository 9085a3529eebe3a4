// Separate from the tabs: links styled as tabs need nothing else of them. The side padding keeps the focus
// ring whole where the row scrolls; the active tab's line is as wide as its word.
export const tabStyle =
  "relative inline-flex items-center gap-1.5 whitespace-nowrap rounded-sm px-1.5 pt-1 pb-2.5 text-[13px] font-medium base:text-muted after:absolute after:inset-x-1.5 after:bottom-0 after:h-0.5 hover:text-ink focus-visible:-outline-offset-2 max-md:min-h-11";
export const activeTabStyle = "text-ink after:bg-accent";
