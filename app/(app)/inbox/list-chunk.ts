// One chunk for menus and for rarely shown parts of the list, for the reason in request/request-chunk.ts.

export { SavedViewItems as ViewsMenuItems } from "@/components/list/saved-view-items.tsx";
export { LoadFailure } from "@/components/ui/failure.tsx";
export { DecisionMenuItems } from "./answer/decision/decision-menu-items.tsx";
export { NextRequests } from "./list/next-requests.tsx";
export { NoRows, NotSearched } from "./list/no-rows.tsx";
export { RequestMenuItems } from "./request/request-menu-items.tsx";
export { ActiveFilters } from "./toolbar/active-filters.tsx";
export { InboxCommands } from "./toolbar/inbox-commands.ts";
export { ViewLine } from "./views/view-line.tsx";
