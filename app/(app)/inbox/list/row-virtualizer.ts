/** What draws only the rows near the view: loaded apart, once the first rows are there. */
export {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/react-virtual";
