/** How the one button of such a page looks. */
export const PLAIN_BUTTON =
  "inline-flex h-9 items-center justify-center rounded-lg bg-accent px-3.5 font-medium text-accent-ink transition-colors duration-100 hover:bg-accent/90 max-md:h-11";
