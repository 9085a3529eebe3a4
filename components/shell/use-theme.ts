"use client";

import { useSyncExternalStore } from "react";

/** The theme of this browser; the script in the page puts it into force (see app/theme-script.tsx). */
export function useTheme() {
  return {
    /** As chosen: `light`, `dark` or `system`. */
    theme: useSyncExternalStore(subscribe, chosen, () => "system"),
    /** As it is. */
    resolvedTheme: useSyncExternalStore(subscribe, inForce, () => "light"),
    setTheme,
  };
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("intray:themed", listener);
  return () => window.removeEventListener("intray:themed", listener);
}

function chosen(): string {
  try {
    return localStorage.getItem("theme") ?? "system";
  } catch {
    return "system"; // kept by nobody
  }
}

function inForce(): string {
  return document.documentElement.classList.contains("dark") ? "dark" : "light";
}

function setTheme(theme: string): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Then the system's stays.
  }
  window.dispatchEvent(new Event("intray:theme"));
}
