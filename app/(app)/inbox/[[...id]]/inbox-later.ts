// One load for what the inbox shows only to some, or once it is used.
export { ActiveFilters } from "./active-filters.tsx";
export { AllDone } from "./all-done.tsx";
export { DecisionMenuItems } from "./decision-menu-items.tsx";
export { InboxCommands } from "./inbox-commands.ts";
export { NoRows } from "./no-rows.tsx";
export { RequestMenuItems } from "./request-menu-items.tsx";
export { ViewLine } from "./view-line.tsx";
export { ViewsMenuItems } from "./views-menu-items.tsx";
