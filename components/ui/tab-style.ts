// Apart from the tabs themselves: links that look like tabs need nothing else of them. Room at the sides, so that the
// ring of the focus is whole where the row scrolls.
export const tabStyle =
  "base:-mb-px inline-flex items-center gap-1.5 whitespace-nowrap border-b-2 base:border-transparent px-1.5 pt-1 pb-2 text-[13px] font-medium base:text-muted hover:text-ink max-md:min-h-11 rounded-t-sm focus-visible:-outline-offset-2";
export const activeTabStyle = "border-accent text-ink";
