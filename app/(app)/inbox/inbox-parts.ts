import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";
import { part } from "@/components/ui/part.tsx";

// What the inbox shows only to some, or once it is used.

const later = () => import("./inbox-later.ts");
const warm = { warm: true };

export const InboxCommands = part(() => later().then((file) => file.InboxCommands), { patient: true });
export const ViewLine = part(() => later().then((file) => file.ViewLine), warm);
export const NoRows = part(() => later().then((file) => file.NoRows), warm);
export const ViewsMenuItems = part(() => later().then((file) => file.ViewsMenuItems), warm);
export const DecisionMenuItems = part(() => later().then((file) => file.DecisionMenuItems), warm);
export const RequestMenuItems = part(() => later().then((file) => file.RequestMenuItems), warm);
export const BulkBar = part(() => import("./bulk/bulk-bar.tsx").then((file) => file.BulkBar));
export const BulkDialog = part(() => import("./bulk/bulk-dialog.tsx").then((file) => file.BulkDialog), {
  loading: DialogLoading,
});
export const FilterPanel = part(() => import("./toolbar/filter-panel.tsx").then((file) => file.FilterPanel));
export const ViewDialogs = part(() => import("./views/view-dialogs.tsx").then((file) => file.ViewDialogs));
