// Menus, and what the list shows only to some, in one load: see request/first-touch.ts.
export { DecisionMenuItems } from "./answer/decision-menu-items.tsx";
export { AllDone } from "./list/all-done.tsx";
export { NoRows } from "./list/no-rows.tsx";
export { RequestMenuItems } from "./request/request-menu-items.tsx";
export { ActiveFilters } from "./toolbar/active-filters.tsx";
export { InboxCommands } from "./toolbar/inbox-commands.ts";
export { ViewLine } from "./views/view-line.tsx";
export { ViewsMenuItems } from "./views/views-menu-items.tsx";
