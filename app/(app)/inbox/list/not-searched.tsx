import { NOT_SEARCHED } from "@/lib/requests/words/not-searched.ts";

/** What a search of sealed requests leaves out, above what it found. */
export function NotSearched() {
  return <p className="px-4 pb-2.5 text-[13px] text-muted">{NOT_SEARCHED}</p>;
}
