"use client";

import { Button } from "@/components/ui/button.tsx";
import { lazyComponent } from "@/components/ui/lazy-component.tsx";

/** `LoadFailure`, which few first views need. Without the network its bare words and its button must do. */
export const LateFailure = lazyComponent(
  () => import("../../../components/ui/failure.tsx").then((file) => file.LoadFailure),
  {
    loading: ({ what, onRetry }) => <Button onClick={onRetry}>{what} could not be loaded. Try again</Button>,
    warm: true,
  },
);
