"use client";

import { useSyncExternalStore } from "react";

/** The theme of this browser, applied by the inline script of app/theme-script.tsx. */
export function useTheme() {
  return {
    /** The user's choice: `light`, `dark` or `system`. */
    theme: useSyncExternalStore(subscribe, chosen, () => "system"),
    /** The applied theme: `light` or `dark`. */
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
    return "system"; // storage is blocked
  }
}

function inForce(): string {
  return document.documentElement.classList.contains("dark") ? "dark" : "light";
}

function setTheme(theme: string): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Storage is blocked: the system's theme stays.
  }
  window.dispatchEvent(new Event("intray:theme"));
}
