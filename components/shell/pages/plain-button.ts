/** The class names of the only button of a plain page (see PlainView). */
export const PLAIN_BUTTON =
  "inline-flex h-9 items-center justify-center rounded-lg bg-accent px-3.5 font-medium text-accent-ink transition-colors duration-100 hover:bg-accent/90 max-md:h-11";
