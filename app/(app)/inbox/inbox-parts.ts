import { lazyComponent } from "@/components/ui/lazy-component.tsx";
import { DialogLoading } from "@/components/ui/overlay/dialog.tsx";

// What the inbox shows only to some, or once it is used.

const later = () => import("./inbox-later.ts");
const warm = { warm: true };

export const InboxCommands = lazyComponent(() => later().then((file) => file.InboxCommands), {
  patient: true,
});
export const ViewLine = lazyComponent(() => later().then((file) => file.ViewLine), warm);
export const NoRows = lazyComponent(() => later().then((file) => file.NoRows), warm);
export const AllDone = lazyComponent(() => later().then((file) => file.AllDone), warm);
export const ViewsMenuItems = lazyComponent(() => later().then((file) => file.ViewsMenuItems), warm);
export const DecisionMenuItems = lazyComponent(() => later().then((file) => file.DecisionMenuItems), warm);
export const RequestMenuItems = lazyComponent(() => later().then((file) => file.RequestMenuItems), warm);
export const BulkBar = lazyComponent(() => import("./bulk/bulk-bar.tsx").then((file) => file.BulkBar));
export const BulkDialog = lazyComponent(
  () => import("./bulk/bulk-dialog.tsx").then((file) => file.BulkDialog),
  {
    loading: DialogLoading,
  },
);
export const FilterPanel = lazyComponent(() =>
  import("./toolbar/filter-panel.tsx").then((file) => file.FilterPanel),
);
export const ViewDialogs = lazyComponent(() =>
  import("./views/view-dialogs.tsx").then((file) => file.ViewDialogs),
);
